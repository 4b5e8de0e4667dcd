"""Which faults are worth another try."""

import psycopg
import pytest
import sqlalchemy.exc
from psycopg import errors

from graphs.retry import is_transient, sqlstate_of

TRANSIENT = [
    errors.ConnectionFailure("gone"),
    errors.SerializationFailure("conflict"),
    errors.DeadlockDetected("deadlock"),
    errors.TooManyConnections("full"),
    errors.LockNotAvailable("locked"),
    errors.QueryCanceled("statement timeout"),
    errors.AdminShutdown("restart"),
    errors.CannotConnectNow("starting up"),
    psycopg.OperationalError("connection to server was lost"),
    sqlalchemy.exc.TimeoutError("QueuePool limit"),
    TimeoutError("node"),
    ConnectionResetError("peer"),
]

PERMANENT = [
    errors.UniqueViolation("twice"),
    errors.InsufficientPrivilege("no SELECT"),
    errors.UndefinedColumn("no such column"),
    errors.UndefinedTable("no such table"),
    errors.InvalidPassword("wrong"),
    errors.DiskFull("disk"),
    psycopg.OperationalError('connection failed: FATAL: password authentication failed for user "x"'),
    psycopg.OperationalError('connection failed: FATAL: database "y" does not exist'),
    ValueError("shape"),
    KeyError("name"),
]


@pytest.mark.parametrize("error", TRANSIENT, ids=lambda e: type(e).__name__)
def test_faults_that_pass_are_tried_again(error: Exception) -> None:
    assert is_transient(error)


@pytest.mark.parametrize("error", PERMANENT, ids=lambda e: f"{type(e).__name__}-{str(e)[:20]}")
def test_faults_that_stay_are_not(error: Exception) -> None:
    assert not is_transient(error)


def test_the_driver_error_inside_another_decides() -> None:
    lost = errors.ConnectionFailure("gone")
    assert is_transient(sqlalchemy.exc.OperationalError("SELECT 1", {}, lost))
    denied = errors.InsufficientPrivilege("no")
    assert not is_transient(sqlalchemy.exc.ProgrammingError("SELECT 1", {}, denied))
    assert sqlstate_of(sqlalchemy.exc.ProgrammingError("SELECT 1", {}, denied)) == "42501"


def test_an_error_that_causes_itself_ends() -> None:
    error = RuntimeError("loop")
    error.__cause__ = error
    assert not is_transient(error)
