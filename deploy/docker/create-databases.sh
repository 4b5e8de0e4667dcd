#!/bin/sh
# Run once by the postgres image, when its volume is empty: the agent's and Dagster's database, each with a role of its
# own that owns it and sees no other. docs/databases.md has the roles of a server that exists already.
set -eu
psql --quiet --set ON_ERROR_STOP=1 --set agent_password="$KEIFU_AGENT_PASSWORD" \
  --set dagster_password="$KEIFU_DAGSTER_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE keifu_agent LOGIN PASSWORD :'agent_password';
CREATE ROLE keifu_dagster LOGIN PASSWORD :'dagster_password';
CREATE DATABASE keifu_agent OWNER keifu_agent TEMPLATE template0 ENCODING 'UTF8';
CREATE DATABASE keifu_dagster OWNER keifu_dagster TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE keifu_agent, keifu_dagster, postgres FROM PUBLIC;
SQL
