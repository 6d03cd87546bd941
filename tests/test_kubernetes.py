"""The manifests for Kubernetes fit to the server, to the image and to each other.

`make schemas` holds them against the published schemas, which are too large for the suite.
"""

import ipaddress
from pathlib import Path
from typing import Any

import pytest
import yaml

from backend.http.outgoing import REPLICA_S
from backend.http.settings import Settings, TravelSettings
from tests.conventions import ROOT
from tests.packaging.dockerfile import assignments, stages
from tests.packaging.starting import TOKEN, started_with
from tests.test_settings_documented import settings_of

pytestmark = pytest.mark.requirement("KUBERNETES-ENDS-REPLICAS-IN-ORDER")

CHART = ROOT / "ops" / "kubernetes" / "detour.yaml"
NAME = {"app.kubernetes.io/name": "detour"}


def manifests() -> dict[str, Any]:
    """Return what is made, by its kind."""
    return {each["kind"]: each for each in yaml.safe_load_all(CHART.read_text("utf-8"))}


def pod() -> dict[str, Any]:
    return manifests()["Deployment"]["spec"]["template"]["spec"]


def container() -> dict[str, Any]:
    (only,) = pod()["containers"]
    return only


def image() -> dict[str, str]:
    """Return the last thing that the image says of each kind."""
    return {each.name: each.text for each in stages()[-1].instructions}


def test_manifests_select_the_same_pods() -> None:
    made = manifests()
    assert made["Deployment"]["spec"]["template"]["metadata"]["labels"] == NAME
    selectors = [
        made["Deployment"]["spec"]["selector"]["matchLabels"],
        made["Service"]["spec"]["selector"],
        made["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        made["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
        *(each["labelSelector"]["matchLabels"] for each in pod()["topologySpreadConstraints"]),
    ]
    assert all(selector == NAME for selector in selectors)


def test_config_sets_known_settings_and_all_that_replicas_need() -> None:
    set_here = {*manifests()["ConfigMap"]["data"], *(each["name"] for each in container()["env"])}
    assert set_here <= settings_of(TravelSettings)
    assert {"DETOUR_POSTGRES", "DETOUR_TOKEN", "DETOUR_REPLICA", "DETOUR_ALLOWED_HOSTS"} <= set_here
    assert container()["envFrom"] == [
        {"configMapRef": {"name": manifests()["ConfigMap"]["metadata"]["name"]}}
    ]


def environment() -> dict[str, str]:
    """Return what a pod is given, with values for its secrets and its name."""
    named = {each["name"]: f"of-{each['name'].lower()}" for each in container()["env"]}
    return {
        **manifests()["ConfigMap"]["data"],
        **named,
        "DETOUR_TOKEN": TOKEN,
        "DETOUR_POSTGRES": "postgresql://detour@database.example/detour?sslmode=verify-full",
        "DETOUR_REPLICA": "detour-7c9f8d6b54-x2x9z",
    }


def test_server_starts_with_the_settings_of_image_and_manifests(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = started_with(environment(), monkeypatch, tmp_path)
    assert (settings.host, settings.public_url) == ("0.0.0.0", "https://detour.example.com")
    # No address of the example is anybody's: whose word counts is for the operator to say.
    assert settings.proxy_addresses == (ipaddress.ip_network("192.0.2.0/24"),)


def test_secrets_are_referenced_by_name() -> None:
    assert "Secret" not in manifests()
    asked = {
        each["name"]: each["valueFrom"]["secretKeyRef"]
        for each in container()["env"]
        if "secretKeyRef" in each["valueFrom"]
    }
    assert asked == {
        "DETOUR_POSTGRES": {"name": "detour", "key": "postgres"},
        "DETOUR_TOKEN": {"name": "detour", "key": "token"},
    }


def test_service_links_do_not_overwrite_settings() -> None:
    """Kubernetes sets DETOUR_PORT=tcp://... in pods beside a Service `detour`, unless it is told not to."""
    service = manifests()["Service"]["metadata"]["name"].upper()
    assert f"{service}_PORT" in settings_of(Settings)
    assert pod()["enableServiceLinks"] is False


def test_pod_fits_the_image() -> None:
    user, group = (int(part) for part in image()["USER"].split(":"))
    told = pod()["securityContext"]
    assert (told["runAsUser"], told["runAsGroup"], told["fsGroup"]) == (user, group, group)
    assert [each["containerPort"] for each in container()["ports"]] == [int(image()["EXPOSE"])]
    assert {each["mountPath"] for each in container()["volumeMounts"]} == {image()["VOLUME"], "/tmp"}
    assert assignments(image()["ENV"], {})["DETOUR_PORT"] == image()["EXPOSE"]


def test_pod_has_no_rights_and_writes_to_its_volumes_alone() -> None:
    assert pod()["automountServiceAccountToken"] is False
    assert pod()["securityContext"]["runAsNonRoot"] is True
    assert pod()["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container()["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    volumes = {each["name"] for each in pod()["volumes"] if "emptyDir" in each}
    assert {each["name"] for each in container()["volumeMounts"]} == volumes


def test_pod_has_the_time_that_a_replica_takes_to_end() -> None:
    # It drains by itself, so there is no `preStop` to wait before it is told.
    assert "lifecycle" not in container()
    grace = Settings.model_fields["shutdown_grace_s"].default
    assert pod()["terminationGracePeriodSeconds"] > 2 * (REPLICA_S + grace)
    ready = container()["readinessProbe"]
    assert ready["periodSeconds"] <= REPLICA_S


def test_probes_ask_for_readiness_apart_from_life() -> None:
    paths = {
        probe: container()[probe]["httpGet"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    assert paths == {
        "startupProbe": {"path": "/health", "port": "http"},
        "livenessProbe": {"path": "/health", "port": "http"},
        "readinessProbe": {"path": "/ready", "port": "http"},
    }
    startup = container()["startupProbe"]
    graph = Settings.model_fields["graph_start_s"].default
    assert startup["periodSeconds"] * startup["failureThreshold"] >= 2 * graph


def test_one_replica_at_most_is_away_by_intent() -> None:
    assert manifests()["PodDisruptionBudget"]["spec"]["maxUnavailable"] == 1
    deployment = manifests()["Deployment"]["spec"]
    assert deployment["strategy"]["rollingUpdate"]["maxUnavailable"] == 1
    assert deployment["replicas"] >= 3
