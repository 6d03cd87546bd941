"""Settings that would let strangers in stop the start, and name what they need."""

from typing import Any

import pytest

from backend.domain.errors import StoreUnavailable
from backend.http.identity.authentication import identity_of
from backend.http.identity.token_keys import KeyNotReadError
from backend.http.settings import (
    TravelSettings,
    WrongSettingsError,
    make_folder,
    read_settings,
    wrong_together,
)
from tests.api.issuer import Issuer
from tests.api.live import settings

pytestmark = pytest.mark.requirement("NO-DOOR-BY-MISTAKE")

TOKEN = "a-long-random-token-22"
JWT = {"auth": "jwt", "jwt_issuer": "https://id.example", "jwt_audience": "trips", "jwt_key": "key.pem"}
OUTSIDE = {"host": "0.0.0.0"}
PROXY = {"proxy_addresses": "10.0.0.0/8"}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (OUTSIDE, "DETOUR_HOST"),
        (PROXY, "DETOUR_PROXY_ADDRESSES"),
        ({"public_url": "https://trips.example"}, "DETOUR_PUBLIC_URL"),
        ({"allowed_origins": "*"}, "DETOUR_ALLOWED_ORIGINS"),
        ({**OUTSIDE, "token": TOKEN}, "DETOUR_PUBLIC_URL"),
        ({**JWT, **OUTSIDE}, "DETOUR_PUBLIC_URL"),
        ({**JWT, "token": TOKEN}, "DETOUR_TOKEN"),
        ({**JWT, "jwt_issuer": ""}, "DETOUR_JWT_ISSUER"),
        ({**JWT, "jwt_audience": ""}, "DETOUR_JWT_AUDIENCE"),
        ({**JWT, "jwt_key": ""}, "DETOUR_JWT_KEY"),
        ({**JWT, "jwt_jwks": "https://id.example/keys"}, "DETOUR_JWT_KEY"),
        ({"auth": "proxy"}, "DETOUR_PROXY_ADDRESSES"),
        ({"jwt_issuer": "https://id.example"}, "DETOUR_AUTH"),
    ],
)
def test_settings_that_let_strangers_in_are_named(tmp_path, changes, named):
    (sentence, *more) = wrong(tmp_path, **changes)
    assert named in sentence
    assert not more


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"token": TOKEN},
        {"public_url": "http://127.0.0.1:8000"},
        {**OUTSIDE, "token": TOKEN, "public_url": "https://trips.example"},
        {**OUTSIDE, "token": TOKEN, "public_url": "http://127.0.0.1:8000"},
        {**OUTSIDE, "token": TOKEN, **PROXY},
        {**OUTSIDE, **JWT, "public_url": "https://trips.example"},
        {**OUTSIDE, "auth": "proxy", **PROXY},
    ],
)
def test_settings_that_are_safe_start(tmp_path, changes):
    assert wrong(tmp_path, **changes) == []


def wrong(folder, **changes: Any) -> list[str]:
    return wrong_together(settings(folder, **changes))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("public_url", "trips.example"),
        ("public_url", "https://trips.example/path"),
        ("public_url", "https://trips.example#part"),
        ("jwt_jwks", "http://id.example/keys"),
        ("proxy_addresses", "everywhere"),
        ("proxy_header", "X Forwarded"),
        ("default_scopes", "root"),
        ("session_hours", "0"),
        ("jwt_rsa_bits", "1024"),
        ("jwt_types", "at+jwt,refresh"),
        ("token", "21-characters-are-few"),
    ],
)
def test_setting_that_is_invalid_is_named(monkeypatch, name, value):
    monkeypatch.setenv(f"DETOUR_{name.upper()}", value)
    with pytest.raises(WrongSettingsError, match=f"DETOUR_{name.upper()}"):
        read_settings(TravelSettings)


@pytest.mark.parametrize(
    "given", ["nowhere.pem", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----\nAAAA"]
)
def test_key_that_cannot_be_read_stops_the_start(tmp_path, given):
    made = settings(tmp_path, **Issuer().settings(jwt_key=given))
    told = "DETOUR_JWT_KEY: nowhere.pem: No such file" if given == "nowhere.pem" else "DETOUR_JWT_KEY"
    with pytest.raises(KeyNotReadError, match=told):
        identity_of(made, None, None, None)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, ""),
        ({"token": TOKEN}, "token"),
        ({"auth": "proxy", "proxy_addresses": "127.0.0.1"}, "proxy"),
        (Issuer().settings(), "elsewhere"),
        (Issuer().settings(sign_in_url="https://id.example/in"), "https://id.example/in"),
    ],
)
def test_page_knows_how_people_sign_in(tmp_path, changes, told):
    assert settings(tmp_path, **changes).sign_in == told


def test_key_may_be_in_a_file(tmp_path):
    issuer = Issuer()
    (tmp_path / "key.pem").write_text(issuer.pem)
    made = settings(tmp_path, **issuer.settings(jwt_key=str(tmp_path / "key.pem")))
    assert identity_of(made, None, None, None).knows_persons


def test_file_in_place_of_the_data_folder_is_refused(tmp_path):
    file = tmp_path / "data"
    file.touch()
    with pytest.raises(StoreUnavailable, match=f"DETOUR_DATA_DIR: {file} cannot be used: it is a file"):
        make_folder(file)
    with pytest.raises(StoreUnavailable, match="Not a directory"):
        make_folder(file / "inside")
