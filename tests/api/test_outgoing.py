"""The server calls https addresses, this machine, and hosts that the operator names; no redirects."""

import pytest
from pydantic import SecretStr

from backend.domain.errors import ModelError
from backend.domain.model_usage import UsageMeter
from backend.http.outgoing import PlainAddressError, check_outgoing
from backend.http.tracing.loading import load_tracing
from backend.travel.models.langchain_model import load_model
from tests.api.live import running, settings
from tests.fakes.collector import collecting
from tests.fakes.http_server import Exchange, HttpServer
from tests.models.asking import PROVIDERS, hello

pytestmark = pytest.mark.requirement("CALLS-GO-WHERE-THEY-ARE-SENT")


@pytest.mark.parametrize(
    "address", ["http://gpu-box:11434", "gpu-box:11434", "http://192.0.2.7/v1", "http://u:p@gpu-box"]
)
def test_plain_address_of_another_machine_is_refused(address):
    with pytest.raises(PlainAddressError, match=r"^NAME: .*https://.*DETOUR_PLAIN_HOSTS\.$") as refused:
        check_outgoing("NAME", address, ("another", "gpu-box:1"))
    assert "u:p" not in refused.value.message


@pytest.mark.parametrize(
    "address",
    [
        "https://gpu-box",
        "http://127.0.0.1:1",
        "http://[::1]:1",
        "http://localhost/v1",
        "http://GPU-box:11434/v1",
    ],
)
@pytest.mark.parametrize("named", ["gpu-box", "gpu-box:11434"])
def test_safe_addresses_are_called(address, named):
    check_outgoing("NAME", address, ("another", named))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_model_on_another_machine_is_called_by_https(provider):
    def load(address, **options):
        return load_model(f"{provider}:a", base_url=address, key=SecretStr("k"), **options)

    with pytest.raises(PlainAddressError, match=r"^DETOUR_MODEL_BASE_URL: gpu-box "):
        load("http://gpu-box:11434/v1")
    load("http://gpu-box:11434/v1", plain_hosts=("gpu-box",))
    load("https://gpu-box:11434/v1")


def test_address_of_the_models_library_counts_too(monkeypatch):
    monkeypatch.setenv("OPENAI_API_BASE", "http://gpu-box:11434/v1")
    with pytest.raises(PlainAddressError, match=r"^DETOUR_MODEL=openai:a: gpu-box "):
        load_model("openai:a", key=SecretStr("k"))


@pytest.mark.parametrize("name", ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"])
async def test_collector_on_another_machine_is_called_by_https(tmp_path, name):
    environment = {name: "http://collector:4318"}
    with pytest.raises(PlainAddressError, match=f"^{name}: collector "):
        load_tracing(settings(tmp_path), environment, clock=lambda: None)
    assert not load_tracing(settings(tmp_path, tracing=False), environment, clock=lambda: None).is_on
    tracing = load_tracing(settings(tmp_path, plain_hosts="collector:4318"), environment, clock=lambda: None)
    await tracing.close(within_s=0)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_redirect_of_a_model_is_not_followed(provider):
    asked = []

    async def redirect(exchange: Exchange) -> None:
        asked.append(exchange.path)
        where = f"http://127.0.0.1:{another.port}{exchange.path}"
        exchange.answer(307, {}, headers={"Location": where})

    async def answer(exchange: Exchange) -> None:
        asked.append(f"another: {exchange.path}")
        exchange.answer(500, {})

    async with HttpServer(redirect) as server, HttpServer(answer) as another:
        url = f"http://127.0.0.1:{server.port}" + ("/v1" if provider == "openai" else "")
        model = load_model(f"{provider}:a", base_url=url, key=SecretStr("k"))
        with pytest.raises(ModelError, match="status 307"):
            await model.answer(hello(), meter=UsageMeter())
        await model.close()
    assert len(asked) == 1


async def test_redirect_of_a_collector_is_not_followed(tmp_path, monkeypatch):
    with collecting() as collector, collecting() as another:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        collector.answers, collector.sends_to = 307, f"{another.url}/v1/traces"
        async with running(tmp_path) as api:
            await api.chat_to_end("ann", "find 1")
        assert collector.was_asked.is_set()
        assert not another.was_asked.is_set()
