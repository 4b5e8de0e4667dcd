"""The roles and databases, and who may do what: one place for the embedded server and for a real one.

What belongs here: the statements that create roles, databases and grants, all of them safe to run again. What stays
out: connecting as a superuser (`keifu_quality.db.embedded` does it for its own server, a database administrator for
a real one).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from psycopg import sql

BUSINESS_DATABASE = "tasuki_keifu"
AGENT_DATABASE = "keifu_agent"
DAGSTER_DATABASE = "keifu_dagster"

BUSINESS_OWNER = "keifu_owner"
BUSINESS_READER = "keifu_reader"
AGENT_ROLE = "keifu_agent"
DAGSTER_ROLE = "keifu_dagster"

ROLES = (BUSINESS_OWNER, BUSINESS_READER, AGENT_ROLE, DAGSTER_ROLE)


@dataclass(frozen=True, slots=True)
class DatabasePlan:
    """One database: its name, the role that owns it, and the roles that may connect besides."""

    name: str
    owner: str
    guests: tuple[str, ...] = ()


DATABASES = (
    DatabasePlan(BUSINESS_DATABASE, BUSINESS_OWNER, (BUSINESS_READER,)),
    DatabasePlan(AGENT_DATABASE, AGENT_ROLE),
    DatabasePlan(DAGSTER_DATABASE, DAGSTER_ROLE),
)


def role_statements(roles: tuple[str, ...] = ROLES) -> Iterator[sql.Composed]:
    """Create the roles that are missing and take every special right from them. Run in any database."""
    for role in roles:
        yield sql.SQL(
            "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {literal}) "
            "THEN CREATE ROLE {role}; END IF; END $$"
        ).format(literal=sql.Literal(role), role=sql.Identifier(role))
        yield sql.SQL("ALTER ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS").format(
            role=sql.Identifier(role)
        )
    if BUSINESS_READER in roles:
        yield sql.SQL("ALTER ROLE {role} SET default_transaction_read_only = on").format(
            role=sql.Identifier(BUSINESS_READER)
        )


def create_database_statement(plan: DatabasePlan, *, template: str = "template0") -> sql.Composed:
    """Create the database; it sorts by code point whatever the machine's locale. Needs PostgreSQL 17 or newer."""
    statement = sql.SQL("CREATE DATABASE {name} OWNER {owner} TEMPLATE {template}").format(
        name=sql.Identifier(plan.name), owner=sql.Identifier(plan.owner), template=sql.Identifier(template)
    )
    if template != "template0":
        return statement
    return statement + sql.SQL(
        " ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LC_COLLATE 'C' LC_CTYPE 'C'"
    )


def connect_statements(plan: DatabasePlan) -> Iterator[sql.Composed]:
    """Close the database to everybody but its owner and guests. Run in any database."""
    name = sql.Identifier(plan.name)
    yield sql.SQL("REVOKE ALL ON DATABASE {name} FROM PUBLIC").format(name=name)
    for guest in plan.guests:
        yield sql.SQL("GRANT CONNECT ON DATABASE {name} TO {guest}").format(name=name, guest=sql.Identifier(guest))


def reader_statements(
    *, owner: str = BUSINESS_OWNER, reader: str = BUSINESS_READER, schema: str = "public"
) -> Iterator[sql.Composed]:
    """Let the reader read the schema's tables, those of today and those that the owner adds, and nothing else.

    Run in the business database. What PUBLIC may do there is the site's affair and is left alone.
    """
    names = {
        "owner": sql.Identifier(owner),
        "reader": sql.Identifier(reader),
        "schema": sql.Identifier(schema),
    }
    for statement in (
        "REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {reader}",
        "GRANT USAGE ON SCHEMA {schema} TO {reader}",
        "GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {reader}",
        "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {schema} GRANT SELECT ON TABLES TO {reader}",
    ):
        yield sql.SQL(statement).format(**names)


def grant_statements(
    *, business_database: str = BUSINESS_DATABASE, business_owner: str = BUSINESS_OWNER, schema: str = "public"
) -> str:
    """A psql script for a real server: what a database administrator runs once, as a superuser.

    The business database and its owner exist there already and are only opened for reading; passwords are set
    afterwards with `\\password`, so that the script holds none.
    """
    lines = [statement.as_string() + ";" for statement in role_statements((BUSINESS_READER, AGENT_ROLE, DAGSTER_ROLE))]
    for plan in DATABASES[1:]:
        create = sql.SQL("SELECT {create} WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = {name}) \\gexec")
        lines.append(
            create.format(
                create=sql.Literal(
                    f"CREATE DATABASE {plan.name} OWNER {plan.owner} TEMPLATE template0 ENCODING 'UTF8'"
                ),
                name=sql.Literal(plan.name),
            ).as_string()
        )
        lines += [statement.as_string() + ";" for statement in connect_statements(plan)]
    lines.append(
        sql.SQL("GRANT CONNECT ON DATABASE {name} TO {reader};")
        .format(name=sql.Identifier(business_database), reader=sql.Identifier(BUSINESS_READER))
        .as_string()
    )
    lines.append(f"\\connect {sql.Identifier(business_database).as_string()}")
    lines += [statement.as_string() + ";" for statement in reader_statements(owner=business_owner, schema=schema)]
    return "\n".join(lines) + "\n"
