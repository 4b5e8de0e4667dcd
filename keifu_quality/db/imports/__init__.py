"""What imports did: read from the business database, kept in the ledger of the agent database.

Belongs here: how a finished, failed or stuck import batch is recognised, whom it touched, and how its athletes are
handed over for diagnosis. Stays out: when to look and what to diagnose (`keifu_quality.imports`, Dagster).
"""
