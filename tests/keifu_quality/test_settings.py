"""The environment: what is accepted, what each error names, and that no secret is shown."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import URL

from keifu_quality.dsn import MalformedDsn, parse_dsn
from keifu_quality.errors import SettingsError
from keifu_quality.settings import Settings, load_settings

BUSINESS = "TASUKI_KEIFU_BUSINESS_DATABASE_URL"


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (field.alias for field in Settings.model_fields.values()):
        assert name is not None
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def test_nothing_set_means_the_embedded_server_under_the_current_directory(tmp_path: Path) -> None:
    settings = load_settings()
    assert settings.home == tmp_path / ".keifu"
    assert settings.business_dsn() is None
    assert settings.agent_dsn() is None
    assert settings.dagster_dsn() is None


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(BUSINESS, "")
    monkeypatch.setenv("KEIFU_HOME", "")
    settings = load_settings()
    assert settings.business_dsn() is None
    assert settings.home == tmp_path / ".keifu"


def test_home_is_made_absolute_and_is_not_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", "/elsewhere")
    monkeypatch.setenv("KEIFU_HOME", "data")
    assert load_settings().home == tmp_path / "data"


def test_a_relative_home_stays_put_when_the_process_moves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = load_settings()
    monkeypatch.chdir("/")
    assert settings.home == tmp_path / ".keifu"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://u:hunter2@h:port/db",
        "postgresql://u:hun@ter2@h/db",
        "postgresql://u:hun@ter2#/x@h/db",
        "postgresql://u:hun@ter2/x?y@h/db",
        "postgresql://u:hun%00ter2@h/db",
        "postgresql://u:hunter2@h/db?connect_timeout=soon",
        "postgresql://u:hunter2@h/db?port=hunter2",
        "mysql://u:hunter2@h/db",
        "prisma+postgres://accelerate.example/?api_key=hunter2",
        "postgresql://u:hunter2@h",
        "postgresql://u:hunter2@h/db?sslmod=require",
        "postgresql://u:hunter2@h/db?sslmode=require&sslmode=disable",
        'postgresql://u:hunter2@h/db?schema=a"b',
        "hunter2",
    ],
)
def test_a_malformed_url_names_the_variable_and_keeps_the_password(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(BUSINESS, text)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert BUSINESS in str(caught.value)
    for shown in (str(caught.value), repr(caught.value), repr(caught.value.__context__)):
        assert "ter2" not in shown


def test_every_wrong_variable_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEIFU_LOG_LEVEL", "loud")
    monkeypatch.setenv("KEIFU_STATEMENT_TIMEOUT_MS", "0")
    with pytest.raises(SettingsError, match=r"KEIFU_STATEMENT_TIMEOUT_MS.*KEIFU_LOG_LEVEL"):
        load_settings()


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BUSINESS, "postgresql://u:hunter2@h/db")
    monkeypatch.setenv("LANGSMITH_API_KEY", "hunter2")
    settings = load_settings()
    assert "hunter2" not in repr(settings)
    assert "hunter2" not in settings.model_dump_json()
    assert "hunter2" not in repr(settings.business_dsn())


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg", "postgresql+psycopg2"])
def test_every_scheme_gives_the_right_driver(scheme: str) -> None:
    dsn = parse_dsn(f"{scheme}://u:p@h:5433/db?sslmode=require")
    assert dsn.url.drivername == "postgresql+psycopg"
    assert dsn.libpq() == "postgresql://u:p@h:5433/db?sslmode=require"
    assert dsn.for_psycopg2() == "postgresql+psycopg2://u:p@h:5433/db?sslmode=require"


def test_prismas_parameters_are_read_or_dropped() -> None:
    dsn = parse_dsn(
        "postgres://u@h/db?schema=archive&connection_limit=3&pool_timeout=9&pgbouncer=true&connect_timeout=7"
    )
    assert dsn.schema == "archive"
    assert dsn.declared_pooler
    assert dict(dsn.url.query) == {"connect_timeout": "7"}


def test_a_space_in_a_parameter_reaches_libpq_as_a_space() -> None:
    dsn = parse_dsn("postgresql:///db?host=/home/my%20files&options=-c%20geqo%3Doff%20-c%20jit%3Doff")
    assert conninfo_to_dict(dsn.libpq()) == {
        "dbname": "db",
        "host": "/home/my files",
        "options": "-c geqo=off -c jit=off",
    }


@pytest.mark.parametrize("password", ["p/w", "p?w", "p#w", "p:w", "p%40w"])
def test_other_special_characters_of_a_password_need_no_encoding(password: str) -> None:
    url = parse_dsn(f"postgresql://u:{password}@h:5433/db?sslmode=require").url
    assert (url.password, url.host, url.database) == (password.replace("%40", "@"), "h", "db")


def test_an_address_may_be_numeric() -> None:
    assert parse_dsn("postgresql://u:p@[::1]:5433/db").url.host == "::1"


@pytest.mark.parametrize(
    ("text", "ports"),
    [
        ("postgresql://h/db", set()),
        ("postgresql://h:5433/db", {5433}),
        ("postgresql://h:5433/db?port=6543", {6543}),
        ("postgresql:///db?host=a,b&port=5432,6543", {5432, 6543}),
        ("postgresql:///db?host=a&host=b:6543", {6543}),
        ("postgresql:///db?host=/run/postgresql", set()),
        ("postgresql://u@[::1]/db", set()),
    ],
)
def test_every_port_that_is_named_is_known(text: str, ports: set[int]) -> None:
    assert parse_dsn(text).ports() == ports


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(MalformedDsn, match="sslmod"):
        parse_dsn("postgresql://h/db?sslmod=require")


@given(
    user=st.text(st.characters(exclude_characters="\x00"), min_size=1),
    password=st.text(st.characters(exclude_characters="\x00"), min_size=1),
    database=st.text(st.characters(exclude_characters="?#/\x00", exclude_categories=["Cs"]), min_size=1),
)
def test_percent_encoded_parts_come_back(user: str, password: str, database: str) -> None:
    url = URL.create("postgresql", user, password, "h", 5432, database)
    try:
        text = url.render_as_string(hide_password=False)
    except UnicodeEncodeError:
        return
    parsed = parse_dsn(text)
    assert (parsed.url.username, parsed.url.password) == (user, password)
