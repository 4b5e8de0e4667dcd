"""The agents: pure Python, LangGraph and Pydantic.

Belongs here: facts, identity keys, rules, tools and the diagnosis graph. Stays out: Dagster, SQL, drivers,
and every input or output of its own; what the graph needs from outside comes in through `graphs.ports`.
"""
