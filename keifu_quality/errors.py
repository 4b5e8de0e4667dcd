"""The errors of the adapters, each with a message that says what to do.

What belongs here: exceptions that a person may read at the command line or in the Dagster UI. What stays out:
transient database faults, which keep the class of the driver so that a retry policy can tell them apart.
"""


class KeifuError(Exception):
    """Base of every error of the product that is explained to its reader; the message never holds a secret."""


class SettingsError(KeifuError):
    """An environment variable is missing or malformed; the message names the variable and never its value."""


class AddressUnusable(KeifuError):
    """No server can listen on the address that was asked for, such as a port that another process has."""


class EmbeddedServerError(KeifuError):
    """The embedded PostgreSQL server could not be initialised, started or stopped."""


class TransactionPoolerRefused(KeifuError):
    """The agent database was given as a transaction pooler, where checkpoints and advisory locks do not hold."""


class BusinessNotReadOnly(KeifuError):
    """The role of the business connection can write, so that the product refuses to run."""


class BusinessContractBroken(KeifuError):
    """The business database lacks something without which nothing can be diagnosed."""


class AgentSchemaOutdated(KeifuError):
    """The agent database has not been migrated to the revision that this version of the product needs."""


class NotJson(KeifuError):
    """A value of the graph's state is no plain JSON value and cannot be kept in a checkpoint."""


class RunNotFound(KeifuError):
    """There is no run with the given id."""


class RunBusy(KeifuError):
    """Another process works on the run."""


class RunCutOff(KeifuError):
    """A run ended because the agent database went away; it can be gone on with."""


class RunNotResumable(KeifuError):
    """The run is finished, was made by another version of the graph, or waits for an answer that was not given."""


class RequestRefused(KeifuError, ValueError):
    """What was said of an athlete cannot mean anybody: it contradicts itself or is longer than any name or slug."""


class SweepInterrupted(KeifuError):
    """The workers of a sweep died before it was done; what they stored stays, and the sweep can be gone on with."""
