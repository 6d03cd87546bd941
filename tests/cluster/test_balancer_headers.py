"""What haproxy passes on of what a client says of itself: replicas take it for the proxy's word."""

from datetime import timedelta
from http.server import ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from backend.domain.encoding import system_clock
from backend.http.identity.proxies import FORWARDED
from backend.http.settings import Settings
from checks.cluster import balancer
from checks.cluster.balancer import Balancer, on_this_machine
from checks.cluster.replicas import free_port
from tests.cluster.conftest import Quiet, serving_in_thread

pytestmark = [pytest.mark.haproxy, pytest.mark.requirement("NOBODY-REACHES-OTHERS")]

SIGNED_IN_BY = Settings.model_fields["proxy_header"].default
LIES = {
    **{name.decode(): "203.0.113.9" for name in FORWARDED},
    SIGNED_IN_BY: "the-victim",
    "X-Forwarded-Email": "the-victim@example.com",
    "X-Who": "the-victim",
    "X-Scopes": "operate",
}


class _Telling(Quiet):
    """Answers with the headers of the request, a line each."""

    def body(self) -> bytes:
        return "\n".join(f"{name.lower()}: {value}" for name, value in self.headers.items()).encode()


def _arrived(scheme: str, settings: dict[str, str], folder: Path) -> dict[str, str]:
    """Return what reaches a replica, by header, of a call in which a client lies."""
    port = free_port()
    with (
        serving_in_thread(ThreadingHTTPServer(("127.0.0.1", 0), _Telling)) as replica,
        Balancer(on_this_machine(port, [replica.server_address[1]]) | settings, folder).serving(),
        # The certificate is of the test.
        httpx.Client(trust_env=False, verify=False) as client,
    ):
        told = client.get(f"{scheme}://127.0.0.1:{port}/status/ada", headers=LIES)
    assert told.status_code == 200, told.text
    arrived = dict(line.split(": ", 1) for line in told.text.splitlines())
    return {name: value for name, value in arrived.items() if name in {each.lower() for each in LIES}}


def test_balancer_drops_identity_headers_of_clients(tmp_path: Path) -> None:
    settings = {"DETOUR_PROXY_HEADER": "X-Who", "DETOUR_PROXY_SCOPES_HEADER": "X-Scopes"}
    assert _arrived("http", settings, tmp_path) == {"x-forwarded-for": "127.0.0.1"}


def test_balancer_passes_headers_that_replicas_do_not_read(
    tmp_path: Path,
) -> None:
    # Compose sets to nothing what is not set.
    settings = {"DETOUR_PROXY_HEADER": "", "DETOUR_PROXY_SCOPES_HEADER": ""}
    assert _arrived("http", settings, tmp_path) == {
        "x-forwarded-for": "127.0.0.1",
        "x-who": "the-victim",
        "x-scopes": "operate",
    }


def test_balancer_that_ends_tls_sets_forwarded_proto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = tmp_path / "both.pem"
    certificate.write_bytes(_certificate())
    text = balancer.CONFIGURATION.read_text("utf-8")
    with_tls = tmp_path / "haproxy.cfg"
    bind = 'bind "$DETOUR_LISTEN"'
    assert text.count(bind) == 1
    with_tls.write_text(text.replace(bind, f"{bind} ssl crt {certificate}"), "utf-8")
    monkeypatch.setattr(balancer, "CONFIGURATION", with_tls)
    arrived = _arrived("https", {}, tmp_path)
    assert (arrived["x-forwarded-for"], arrived["x-forwarded-proto"]) == ("127.0.0.1", "https")


def _certificate() -> bytes:
    """Return a key and its certificate as PEM, good for a day."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = system_clock()
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    pem = serialization.Encoding.PEM
    return key.private_bytes(pem, *plain) + signed.public_bytes(pem)
