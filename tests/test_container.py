"""The image and the compose file keep the server where it should be: on this machine, and not as root."""

import re
from typing import Any

import pytest
import yaml

from backend.serving.tracing import loading
from backend.travel.settings import TravelSettings
from tests.conventions import ROOT
from tests.test_settings_documented import settings_of


def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))


def dockerfile() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text("utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines]


def is_local(port: str) -> bool:
    return port.startswith("127.0.0.1:")


@pytest.mark.requirement("CONTAINER-IS-LOCAL")
def test_compose_publishes_every_port_to_this_machine_only() -> None:
    ports = [port for service in compose()["services"].values() for port in service.get("ports", [])]
    assert ports
    assert all(is_local(port) for port in ports)
    assert not any(is_local(port) for port in ("8000:8000", "0.0.0.0:8000:8000", "8000", "[::]:8000:8000"))


def test_compose_does_not_start_without_a_token() -> None:
    assert compose()["services"]["detour"]["environment"]["DETOUR_TOKEN"].startswith("${DETOUR_TOKEN:?")


def test_every_setting_passes_through_but_where_the_container_itself_listens_and_keeps_its_data() -> None:
    passed = set(compose()["services"]["detour"]["environment"])
    settings = {name for name in passed if name.startswith("DETOUR_")}
    assert settings == settings_of(TravelSettings) - {"DETOUR_HOST", "DETOUR_DATA_DIR"}
    assert loading.ENDPOINTS[-1] in passed - settings


def test_a_setting_is_not_set_to_nothing_where_none_is_given() -> None:
    given = {
        name: value
        for name, value in compose()["services"]["detour"]["environment"].items()
        if value is not None
    }
    assert all(re.match(r"\$\{" + name + ":[-?].", str(value)) for name, value in given.items()), given


def test_a_graph_is_mounted_where_the_server_looks_for_it() -> None:
    (folder,) = [value for name, value in dockerfile() if name == "WORKDIR"]
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    assert re.search(rf"^ +# - \./trip\.py:{folder}/trip\.py:ro$", text, re.MULTILINE)


def test_the_data_folder_is_a_named_volume_that_outlives_the_container() -> None:
    environment = next(value for name, value in dockerfile() if name == "ENV")
    folder = re.search(r"DETOUR_DATA_DIR=(\S+)", environment)[1]
    volumes = dict(volume.split(":") for volume in compose()["services"]["detour"]["volumes"])
    assert folder in volumes.values()
    assert set(volumes) <= set(compose()["volumes"])
    assert ("VOLUME", folder) in dockerfile()


def test_the_server_in_the_image_does_not_run_as_root() -> None:
    instructions = [name for name, _ in dockerfile()]
    users = [value for name, value in dockerfile() if name == "USER"]
    assert users
    assert users[-1] not in {"root", "0"}
    assert instructions.index("USER") < instructions.index("CMD")


def test_the_image_installs_the_pins_and_takes_only_what_is_listed() -> None:
    assert any(name == "RUN" and "-r requirements.txt" in value for name, value in dockerfile())
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert "*" in ignored
    assert {line for line in ignored if line.startswith("!")} == {
        "!backend",
        "!detour.py",
        "!frontend",
        "!requirements.txt",
        "!requirements-dev.txt",
    }
