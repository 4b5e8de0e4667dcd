"""The command line: one module a command. Imports no Dagster, so that `keifu diagnose` starts fast."""
