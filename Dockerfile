# The server as one image. Inside, it listens on every address of the container, so DETOUR_TOKEN must be
# set: it refuses to start on a public address without it. docker-compose.yml publishes it to this machine.

FROM python:3.14-slim AS build
COPY requirements.txt requirements-dev.txt ./
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --disable-pip-version-check -r requirements.txt
# What a language model's client needs, if any is wanted: "langchain langchain-openai", say.
ARG MODEL_LIBRARIES=""
RUN test -z "$MODEL_LIBRARIES" || /venv/bin/pip install --no-cache-dir --disable-pip-version-check \
    -c requirements-dev.txt $MODEL_LIBRARIES

FROM python:3.14-slim
RUN useradd --system --no-create-home detour && mkdir /data && chown detour /data
COPY --from=build /venv /venv
WORKDIR /app
COPY . .
RUN /venv/bin/python -m compileall -q backend
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DETOUR_HOST=0.0.0.0 \
    DETOUR_PORT=8000 \
    DETOUR_DATA_DIR=/data
USER detour
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['DETOUR_PORT'] + '/health', timeout=2)"]
STOPSIGNAL SIGTERM
CMD ["python", "-m", "backend.main"]
