# Code location, daemon, web server and run workers of keifu-quality: one image, the command decides.
#   docker build -t keifu-quality .
#   docker run --rm -p 127.0.0.1:3000:3000 -e DAGSTER_PG_URL -e TASUKI_KEIFU_BUSINESS_DATABASE_URL \
#     -e TASUKI_KEIFU_AGENT_DATABASE_URL keifu-quality
# Several machines: docs/deployment.md.
FROM python:3.11-slim AS build
WORKDIR /app
RUN python -m venv /venv
ENV PATH="/venv/bin:$PATH"
# The lock holds the extra `deploy` with the run launchers of Docker and Kubernetes.
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md workspace.yaml dagster.yaml ./
COPY graphs ./graphs
COPY keifu_quality ./keifu_quality
RUN pip install --no-cache-dir --no-deps --no-build-isolation ".[deploy]" && pip check

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 keifu
COPY --from=build /venv /venv
COPY dagster.yaml workspace.yaml /opt/dagster/
COPY deploy/docker/dagster.yaml deploy/docker/workspace.yaml /opt/dagster/docker/
# Dagster's chart mounts its dagster.yaml into dagster_home; Dagster writes beside it.
RUN mkdir -p /var/lib/keifu /opt/dagster/dagster_home && chown -R keifu /var/lib/keifu /opt/dagster
ENV PATH="/venv/bin:$PATH" \
    DAGSTER_HOME=/opt/dagster \
    KEIFU_HOME=/var/lib/keifu \
    PYTHONUNBUFFERED=1
USER keifu
WORKDIR /opt/dagster
EXPOSE 3000
# Inside a container the address is the container's own; what the host publishes is up to the host.
CMD ["keifu", "ui", "--host", "0.0.0.0"]
