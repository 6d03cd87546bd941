"""The image and the compose file keep the server where it should be: on this machine, and not as root."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from backend.http.settings import TravelSettings, WrongSettingsError, read_settings
from backend.http.tracing import loading
from tests.conventions import ROOT
from tests.packaging.dockerfile import context, ignored_lines, is_sent, stages
from tests.packaging.starting import TOKEN, started_with
from tests.test_settings_documented import settings_of

REPLICAS = ("r1", "r2", "r3")


def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))


def interpolated(text: str, given: dict[str, str]) -> str:
    """Return a text of the compose file with its variables filled in, as compose does it."""
    pattern = r"\$\{(\w+)(?::-((?:[^${}]|\$\{[^{}]*\})*))?(?::\?[^{}]*)?\}"
    while text != (filled := re.sub(pattern, lambda found: given.get(found[1], "") or found[2] or "", text)):
        text = filled
    return text


def environment(service: str, given: dict[str, str]) -> dict[str, str]:
    """Return what a service of the compose file is given; what is not set outside is not set inside."""
    stated = compose()["services"][service]["environment"]
    return {
        name: given[name] if value is None else interpolated(str(value), given)
        for name, value in stated.items()
        if value is not None or name in given
    }


@pytest.mark.requirement("CONTAINER-IS-LOCAL")
def test_ports_are_published_to_this_machine_only() -> None:
    ports = [port for service in compose()["services"].values() for port in service.get("ports", [])]
    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_compose_needs_a_token() -> None:
    assert compose()["services"]["detour"]["environment"]["DETOUR_TOKEN"].startswith("${DETOUR_TOKEN:?")


def test_settings_pass_through_but_host_and_data_folder() -> None:
    passed = set(compose()["services"]["detour"]["environment"])
    settings = {name for name in passed if name.startswith("DETOUR_")}
    assert settings == settings_of(TravelSettings) - {"DETOUR_HOST", "DETOUR_DATA_DIR"}
    assert loading.ENDPOINTS[-1] in passed - settings


def test_image_runs_as_a_user_other_than_root() -> None:
    instructions = [each.name for each in stages()[-1].instructions]
    (user,) = [each.text for each in stages()[-1].instructions if each.name == "USER"]
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    # Nothing runs as root after it.
    assert instructions.index("USER") > max(n for n, name in enumerate(instructions) if name == "RUN")


def test_servers_write_to_their_data_alone_and_have_no_rights() -> None:
    for name in ("detour", *REPLICAS):
        service = compose()["services"][name]
        assert service["read_only"] is True
        assert service["tmpfs"][0] == "/tmp"
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        written = [volume.split(":")[1] for volume in service["volumes"]] + service["tmpfs"][1:]
        assert written == ["/data"]


EXACT = re.compile(r"[a-z]+:\d+\.\d+(\.\d+)?-[a-z-]*[a-z](@sha256:[0-9a-f]{64})?")


def test_base_images_have_an_exact_version_and_system() -> None:
    images = {service["image"] for service in compose()["services"].values()} - {"detour"}
    images |= {stage.base for stage in stages()}
    assert {image.partition(":")[0] for image in images} == {"haproxy", "postgres", "python"}
    assert [image for image in images if not EXACT.fullmatch(image)] == []


def test_image_installs_the_pins_and_the_wheel_alone() -> None:
    build, image = stages()
    runs = [each.text for each in build.instructions if each.name == "RUN"]
    assert any("-r requirements.txt" in run for run in runs)
    installs = [run for run in runs if " install " in run and "-r requirements.txt" not in run]
    assert all(
        pinned in run
        for run, pinned in zip(
            installs, ("-r requirements/build.txt", "-c pins.txt", "--no-deps /wheels/*.whl"), strict=True
        )
    )
    assert any("pip wheel --no-deps --no-build-isolation" in run for run in runs)
    assert [each.text for each in image.instructions if each.name == "COPY"] == ["--from=build /venv /venv"]


def test_build_context_has_the_copied_files_alone() -> None:
    copied = {
        source
        for each in stages()[0].instructions
        if each.name == "COPY"
        for source in each.text.split()[:-1]
    }
    ignored = ignored_lines()
    assert ignored[0] == "*"
    assert {line.removeprefix("!") for line in ignored if line.startswith("!")} == copied
    sent = {path.as_posix() for path in context()}
    assert {"pyproject.toml", "backend/main.py", "frontend/index.html"} <= sent
    assert not any("__pycache__" in path or "node_modules" in path for path in sent)
    assert not is_sent("frontend/package.json", ignored)
    assert not is_sent(".env", ignored)
    assert not is_sent("data/detour.sqlite", ignored)


@pytest.mark.requirement("COMPOSE-STARTS-ONE-OR-THREE")
def test_one_server_starts_without_a_profile() -> None:
    without = {name for name, service in compose()["services"].items() if not service.get("profiles")}
    assert without == {"detour"}


@pytest.mark.requirement("COMPOSE-STARTS-ONE-OR-THREE")
def test_balancer_starts_the_database_and_its_replicas() -> None:
    services = compose()["services"]
    started, found = {"balancer"}, {"balancer"}
    while found:
        found = {name for each in found for name in services[each].get("depends_on", ())} - started
        started |= found
    assert started == {"balancer", *REPLICAS, "postgres"}
    assert all(services[each]["profiles"] == ["cluster"] for each in started)


def test_services_wait_until_those_they_need_are_healthy() -> None:
    services = compose()["services"]
    for service in services.values():
        for needed, how in service.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}
            # The replicas' own check is in their image.
            assert "healthcheck" in services[needed] or services[needed]["image"] == "detour"
    assert "HEALTHCHECK" in {each.name for each in stages()[-1].instructions}


def test_volumes_are_not_shared_and_replicas_have_none() -> None:
    services = compose()["services"]
    kept = {name: {volume.split(":")[0] for volume in services[name]["volumes"]} for name in services}
    assert not kept["detour"] & kept["postgres"]
    for name in REPLICAS:
        assert not kept[name]
        assert "/data" in services[name]["tmpfs"]
    assert kept["detour"] | kept["postgres"] == set(compose()["volumes"])


def test_database_is_reached_by_replicas_alone() -> None:
    services = compose()["services"]
    assert compose()["networks"]["database"] == {"internal": True}
    reach = {name for name, service in services.items() if "database" in service.get("networks", ())}
    assert reach == {*REPLICAS, "postgres"}
    assert services["postgres"]["networks"] == ["database"]


def test_database_has_no_password_but_the_given_one() -> None:
    # The image of PostgreSQL makes no database without one, unless it is told to trust everybody.
    assert set(environment("postgres", {})) == {"POSTGRES_USER", "POSTGRES_DB"}
    given = {"POSTGRES_PASSWORD": "given"}
    assert environment("postgres", given)["POSTGRES_PASSWORD"] == "given"
    for name in REPLICAS:
        assert environment(name, {})["PGPASSWORD"] == ""
        assert environment(name, given)["PGPASSWORD"] == "given"
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    assert "POSTGRES_PASSWORD:?" not in text, "the one server would not start without it either"


@pytest.mark.parametrize("service", ["detour", *REPLICAS])
def test_server_starts_with_the_settings_of_image_and_compose_file(
    service: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given = environment(service, {"DETOUR_TOKEN": TOKEN, "POSTGRES_PASSWORD": "given"})
    settings = started_with(given, monkeypatch, tmp_path)
    port = 8000 if service == "detour" else 8080  # browsers come by the balancer
    assert (settings.host, settings.public_url) == ("0.0.0.0", f"http://127.0.0.1:{port}")
    with pytest.raises(SystemExit, match="needs DETOUR_PUBLIC_URL"):
        started_with({**given, "DETOUR_PUBLIC_URL": ""}, monkeypatch, tmp_path)


@pytest.mark.requirement("DATABASE-TRANSPORT-IS-STATED")
def test_replicas_state_the_transport_to_the_database() -> None:
    for name in REPLICAS:
        address = environment(name, {})["DETOUR_POSTGRES"]
        assert read_settings(TravelSettings, {"postgres": address}).postgres is not None
        with pytest.raises(WrongSettingsError, match="postgres is not this machine"):
            read_settings(TravelSettings, {"postgres": address.partition("?")[0]})


def test_balancer_gets_what_its_configuration_asks_for() -> None:
    balancer = compose()["services"]["balancer"]
    asked = set(re.findall(r'"\$(DETOUR_\w+)"', (ROOT / "ops/haproxy/haproxy.cfg").read_text("utf-8")))
    given = {name for name in balancer["environment"] if name.startswith("DETOUR_")}
    assert given <= asked
    assert asked - given == {f"DETOUR_REPLICA_{number}" for number in range(4, 9)}
    assert [balancer["environment"][f"DETOUR_REPLICA_{number}"] for number in (1, 2, 3)] == [
        f"{name}:{environment(name, {})['DETOUR_PORT']}" for name in REPLICAS
    ]
    assert "./ops/haproxy/haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro" in balancer["volumes"]
