"""The proof that the business connection cannot write: each way to write is found and named."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from psycopg import sql
from sqlalchemy import create_engine, event

from keifu_quality.db import roles
from keifu_quality.db.business_contract import check_contract
from keifu_quality.db.business_proof import BusinessProof, prove_read_only, require_read_only
from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer
from keifu_quality.db.engine import business_engine
from keifu_quality.errors import BusinessNotReadOnly
from keifu_quality.settings import Settings
from tests.conftest import settings_for
from tests.keifu_quality.db.conftest import Administer

pytestmark = pytest.mark.postgres


@pytest.fixture
def spare_role(embedded_server: EmbeddedServer, administer: Administer) -> Iterator[str]:
    """A role of its own for the test, since roles are shared by all databases of the server."""
    name = f"spare_{os.getpid()}"
    administer(f"CREATE ROLE {name}")
    yield name
    administer(f"DROP OWNED BY {name}")
    administer(f"REVOKE {name} FROM {roles.BUSINESS_READER}")
    administer(f"DROP ROLE {name}")


@contextmanager
def proof_of(settings: Settings) -> Iterator[BusinessProof]:
    engine = business_engine(settings)
    with engine.connect() as connection:
        yield prove_read_only(connection)
    engine.dispose()


def refusal(settings: Settings) -> str:
    with proof_of(settings) as proof, pytest.raises(BusinessNotReadOnly) as caught:
        require_read_only(proof, allow_writable=False)
    return str(caught.value)


def test_the_reader_is_proven_without_a_word(settings: Settings) -> None:
    with proof_of(settings) as proof:
        assert require_read_only(proof, allow_writable=False) == ()
    assert proof.role == roles.BUSINESS_READER
    assert proof.writable == ()


@pytest.mark.parametrize("privilege", ["INSERT", "UPDATE", "DELETE", "TRUNCATE"])
def test_a_granted_privilege_is_named_with_its_remedy(
    settings: Settings, administer: Administer, privilege: str
) -> None:
    administer(f'GRANT {privilege} ON "Membership" TO keifu_reader')
    message = refusal(settings)
    assert f'The role keifu_reader has {privilege} on "public"."Membership".' in message
    assert f'Run: REVOKE {privilege} ON "public"."Membership" FROM "keifu_reader";' in message
    assert "KEIFU_ALLOW_WRITABLE_BUSINESS_ROLE=1" in message


def test_the_remedy_ends_the_refusal(settings: Settings, administer: Administer) -> None:
    administer('GRANT INSERT, UPDATE (notes) ON "Person" TO PUBLIC')
    remedy = refusal(settings).split("Run: ")[1].split(";")[0]
    administer(remedy)
    with proof_of(settings) as proof:
        assert proof.is_read_only


def test_a_grant_to_public_counts_and_is_named(settings: Settings, administer: Administer) -> None:
    administer('GRANT DELETE ON "Race" TO PUBLIC')
    assert 'REVOKE DELETE ON "public"."Race" FROM PUBLIC;' in refusal(settings)


def test_one_writable_column_is_enough(settings: Settings, administer: Administer) -> None:
    administer('GRANT UPDATE (notes) ON "Person" TO keifu_reader')
    assert 'has UPDATE on "public"."Person"' in refusal(settings)


def test_an_inherited_privilege_names_the_group(settings: Settings, administer: Administer, spare_role: str) -> None:
    administer(f'GRANT INSERT ON "Source" TO {spare_role}')
    administer(f"GRANT {spare_role} TO keifu_reader WITH INHERIT TRUE, SET FALSE")
    assert f'REVOKE INSERT ON "public"."Source" FROM "{spare_role}";' in refusal(settings)


def test_a_role_that_can_be_taken_on_counts(settings: Settings, administer: Administer, spare_role: str) -> None:
    administer(f'GRANT INSERT ON "Source" TO {spare_role}')
    administer(f"GRANT {spare_role} TO keifu_reader WITH INHERIT FALSE, SET TRUE")
    message = refusal(settings)
    assert f"after SET ROLE {spare_role}, has INSERT" in message
    assert f'REVOKE "{spare_role}" FROM "keifu_reader";' in message


def test_a_membership_that_gives_nothing_is_no_fault(
    settings: Settings, administer: Administer, spare_role: str
) -> None:
    administer(f'GRANT INSERT ON "Source" TO {spare_role}')
    administer(f"GRANT {spare_role} TO keifu_reader WITH INHERIT FALSE, SET FALSE")
    with proof_of(settings) as proof:
        assert proof.is_read_only


def test_a_superuser_is_refused(settings: Settings, databases: DatabaseUrls, administer: Administer) -> None:
    superuser = settings_for(_as_role(databases, "postgres"), settings.home)
    message = refusal(superuser)
    assert "SUPERUSER (role postgres)" in message
    assert "CREATE ROLE keifu_reader" in message


def test_the_owner_is_refused_and_named(settings: Settings, databases: DatabaseUrls) -> None:
    message = refusal(settings_for(_as_role(databases, roles.BUSINESS_OWNER), settings.home))
    assert 'The role keifu_owner owns "public"."AuditLog".' in message
    assert "12 more tables are writable." in message


def test_a_developer_may_go_on_with_a_warning(settings: Settings, databases: DatabaseUrls) -> None:
    with proof_of(settings_for(_as_role(databases, roles.BUSINESS_OWNER), settings.home)) as proof:
        warnings = require_read_only(proof, allow_writable=True)
    assert "Going on because KEIFU_ALLOW_WRITABLE_BUSINESS_ROLE is set." in warnings[0]


def test_create_on_the_schema_is_a_warning(settings: Settings, administer: Administer) -> None:
    administer("GRANT CREATE ON SCHEMA public TO PUBLIC")
    with proof_of(settings) as proof:
        (warning,) = require_read_only(proof, allow_writable=False)
    assert 'REVOKE CREATE ON SCHEMA "public" FROM PUBLIC' in warning


def test_a_session_that_does_not_default_to_read_only_is_refused(business_url: str) -> None:
    engine = create_engine(business_url, connect_args={"options": "-c default_transaction_read_only=off"})
    with engine.connect() as connection:
        proof = prove_read_only(connection)
    engine.dispose()
    assert not proof.is_read_only
    assert "default_transaction_read_only is off" in proof.explain()


def test_proof_and_contract_are_one_statement_each(settings: Settings) -> None:
    engine = business_engine(settings)
    statements: list[str] = []
    with engine.connect() as connection:

        @event.listens_for(engine, "before_cursor_execute")
        def _note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
            statements.append(statement)

        prove_read_only(connection)
        check_contract(connection)
    engine.dispose()
    assert len(statements) == 2


def _as_role(databases: DatabaseUrls, role: str) -> DatabaseUrls:
    return DatabaseUrls(
        business_owner=databases.business_owner,
        business=databases.business.replace(roles.BUSINESS_READER + "@", role + "@"),
        agent=databases.agent,
        dagster=databases.dagster,
    )


def test_names_are_quoted_in_remedies(settings: Settings, administer: Administer) -> None:
    odd = sql.Identifier('odd "name"').as_string()
    administer(f"CREATE TABLE {odd} (id int)")
    administer(f"GRANT INSERT ON {odd} TO keifu_reader")
    assert f'"public".{odd}' in refusal(settings)
