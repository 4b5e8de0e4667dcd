"""The databases: engines, roles, the read-only proof, the agent database's tables and stores.

Belongs here: everything that speaks SQL or to a PostgreSQL server. Stays out: rules, the graph, Dagster and the
command line.
"""
