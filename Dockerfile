# The server as one image, made from the wheel. Inside, it listens on every address of the container, so
# DETOUR_TOKEN must be set: it refuses to start on a public address without it. docker-compose.yml publishes it to
# this machine. It writes to /data and /tmp alone, so its file system may be read-only. To have the very same base
# at every build, put its digest behind the tag, @sha256:... (docs/running.md)

FROM python:3.14.7-slim-trixie AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY requirements.txt ./
COPY requirements requirements
# What builds is not what runs: /venv has no pip.
RUN python -m venv /tools && /tools/bin/python -m pip install -r requirements/build.txt
RUN python -m venv --without-pip /venv \
    && /tools/bin/python -m pip --python /venv/bin/python install --only-binary :all: -r requirements.txt
# What a language model's client needs, if any is wanted: "langchain langchain-openai", say.
ARG MODEL_LIBRARIES=""
# pip wants the hash of each library named, or none: the versions alone hold these.
RUN test -z "$MODEL_LIBRARIES" || { grep -hoE '^[a-z0-9-]+==[^ ]+' requirements.txt requirements/*.txt | sort -u > pins.txt \
    && /tools/bin/python -m pip --python /venv/bin/python install -c pins.txt $MODEL_LIBRARIES; }
COPY pyproject.toml README.md ./
COPY backend backend
COPY frontend frontend
RUN /tools/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /tools/bin/python -m pip --python /venv/bin/python install --no-deps /wheels/*.whl \
    && /tools/bin/python -m pip --python /venv/bin/python check

FROM python:3.14.7-slim-trixie
LABEL org.opencontainers.image.title="Detour" \
      org.opencontainers.image.description="A server for LangGraph agents whose users may change their mind at any moment" \
      org.opencontainers.image.base.name="docker.io/library/python:3.14.7-slim-trixie"
COPY --from=build /venv /venv
# A number and no name: Kubernetes can tell from it that it is not root.
RUN mkdir --mode=700 /data && chown 10001:10001 /data
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DETOUR_HOST=0.0.0.0 \
    DETOUR_PORT=8000 \
    DETOUR_DATA_DIR=/data
WORKDIR /app
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['DETOUR_PORT'] + '/health', timeout=2)"]
STOPSIGNAL SIGTERM
CMD ["detour", "serve"]
