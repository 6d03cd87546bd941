"""JSON Web Tokens: claims and types that sign in, keys and their fetching."""

import asyncio
from datetime import UTC, datetime

import httpx2
import jwt
import orjson
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from structlog.testing import capture_logs

from backend.domain.errors import KeysUnavailable, Unauthorized
from backend.http.identity import token_keys as keys
from backend.http.identity.token_keys import (
    LEEWAY_S,
    LONGEST_TOKEN,
    MOST_RSA_BITS,
    FetchedKeys,
    GivenKeys,
    JsonWebTokens,
    PublicKey,
    algorithms_of,
    key_of_pem,
    read_keys,
    warn_of_weak_keys,
)
from backend.http.logs import Masker
from backend.tasks.task_owner import TaskOwner
from tests.api.issuer import AUDIENCE, ISSUER, KEYS, Issuer, bearer
from tests.api.live import running
from tests.api.signing import Monotonic

pytestmark = pytest.mark.requirement("NOBODY-REACHES-OTHERS")

LATER = 4_000_000_000


@pytest.fixture
def tokens(issuer) -> JsonWebTokens:
    return taking(GivenKeys([key_of_pem(issuer.pem.encode())]))


def taking(known, **options) -> JsonWebTokens:
    return JsonWebTokens(known, issuer=ISSUER, audience=AUDIENCE, **options)


class TestTokens:
    async def test_subject_is_the_person_with_scopes_and_expiry(self, tokens, issuer):
        principal = await tokens.principal(issuer.token("ann", "read chat openid", exp=LATER).encode())
        assert (principal.person, principal.scopes) == ("ann", {"read", "chat"})
        assert principal.expires_at == datetime.fromtimestamp(LATER + LEEWAY_S, UTC)

    @pytest.mark.parametrize(
        ("claims", "scopes"),
        [
            ({"scope": "operate"}, {"operate"}),
            ({"scope": None, "scp": ["read", "write", 5]}, {"read"}),
            ({"scope": ""}, set()),
            ({"scope": 7}, set()),
            ({"scope": None}, {"read"}),
        ],
    )
    async def test_scopes_are_read_from_the_claims_that_issuers_use(self, issuer, claims, scopes):
        tokens = taking(GivenKeys([key_of_pem(issuer.pem.encode())]), default_scopes=["read"])
        assert (await tokens.principal(issuer.token(**claims).encode())).scopes == scopes

    async def test_scope_prefix_is_required_and_dropped(self, issuer):
        tokens = taking(GivenKeys([key_of_pem(issuer.pem.encode())]), scope_prefix="trips:")
        token = issuer.token("ann", "trips:read chat")
        assert (await tokens.principal(token.encode())).scopes == {"read"}

    @pytest.mark.parametrize(
        "claims",
        [
            {"exp": 1_700_000_000, "iat": 1_699_990_000},
            {"exp": None},
            {"nbf": LATER},
            {"aud": "others"},
            {"aud": None},
            {"iss": "https://evil.example"},
            {"iss": None},
            {"person": None},
            {"person": ""},
            {"person": "a" * 256},
            {"person": "a\nb"},
        ],
    )
    async def test_token_with_a_wrong_claim_is_refused(self, tokens, issuer, claims):
        with pytest.raises(Unauthorized):
            await tokens.principal(issuer.token(**claims).encode())

    async def test_expired_token_has_its_own_code(self, tokens, issuer):
        with pytest.raises(Unauthorized) as refused:
            await tokens.principal(issuer.token(exp=1_700_000_000, iat=1_699_990_000).encode())
        assert refused.value.to_json()["error"]["code"] == "token_expired"

    @pytest.mark.parametrize("exp", [253_402_300_799, 10**400])
    async def test_token_with_an_impossible_year_lasts_as_any_other(self, issuer, tmp_path, exp):
        async with running(tmp_path, **issuer.settings()) as api:
            own = issuer.token("ann", exp=exp)
            assert (await api.call("GET", "/conversations", headers=bearer(own))).status_code == 200
            signed_in = await api.call("POST", "/session", json={"token": own})
            assert signed_in.status_code == 204
            assert "Max-Age=604800;" in signed_in.headers["set-cookie"]
            api.http.cookies.clear()
            given = await api.call("POST", "/tickets", headers=bearer(own))
            ticket = given.json()["ticket"]
            assert (await api.call("GET", f"/status/ann-1?ticket={ticket}")).status_code == 404

    @pytest.mark.parametrize("exp", [float("inf"), "soon", True])
    async def test_token_whose_expiry_is_no_time_is_refused(self, issuer, tmp_path, exp):
        async with running(tmp_path, **issuer.settings()) as api:
            answer = await api.call("GET", "/conversations", headers=bearer(issuer.token("ann", exp=exp)))
            assert answer.status_code == 401

    @pytest.mark.parametrize("token", [b"", b"a.b.c", b"\xff.\xfe.\xfd", b"x" * (LONGEST_TOKEN + 1)])
    async def test_malformed_token_is_refused_without_being_quoted(self, tokens, token):
        with pytest.raises(Unauthorized) as refused:
            await tokens.principal(token)
        assert "x" * 20 not in refused.value.message

    async def test_token_of_another_key_is_refused(self, tokens):
        with pytest.raises(Unauthorized):
            await tokens.principal(Issuer().token().encode())

    async def test_token_signed_with_a_public_key_or_not_at_all_is_refused(self, tokens, issuer):
        """The classic confusions: `none`, and an HMAC whose key is the text of the public key."""
        claims = jwt.decode(issuer.token(), options={"verify_signature": False})
        unsigned = jwt.encode(claims, None, algorithm="none")
        # PyJWT itself refuses to sign with a PEM text; an attacker's program does not.
        header, body = (part.encode() for part in unsigned.split(".")[:2])
        header = jwt.utils.base64url_encode(b'{"alg":"HS256","typ":"JWT"}')
        signed = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(
            header + b"." + body, issuer.pem.encode()
        )
        confused = b".".join((header, body, jwt.utils.base64url_encode(signed)))
        for token in (unsigned.encode(), confused):
            with pytest.raises(Unauthorized):
                await tokens.principal(token)


def typed(typ):
    return {"headers": {"typ": typ}}


KINDS = [
    *((typed(typ), "") for typ in ("at+jwt", "application/at+jwt", "AT+JWT", "JWT", None)),
    *((typed(typ), "typ") for typ in ("logout+jwt", "dpop+jwt", 7)),
    # An ID token tells a client of a sign-in, and is to open nothing here.
    *(({claim: "n"}, "ID token") for claim in ("nonce", "at_hash", "c_hash")),
    *((claims, "ID token") for claims in ({"typ": "ID"}, {"token_use": "id"}, {"typ": "", "nonce": "n"})),
    # Its issuer calls it an access token.
    *((claims, "") for claims in ({"typ": "Bearer", "nonce": "n"}, {"token_use": "access"}, {})),
    ({**typed("at+jwt"), "nonce": "n"}, ""),
]


class TestTypes:
    @pytest.mark.parametrize(("token", "refused"), KINDS, ids=str)
    async def test_token_must_be_for_access_by_type_and_claims(self, tokens, issuer, token, refused):
        sent = issuer.token(**token).encode()
        if not refused:
            assert (await tokens.principal(sent)).person == "ann"
            return
        with pytest.raises(Unauthorized, match=refused) as error:
            await tokens.principal(sent)
        # The log masks what looks like a token, and would leave a word of the sentence out.
        assert Masker().text(error.value.message) == error.value.message

    @pytest.mark.parametrize("types", [("at+jwt",), ("JWT",), ("none",)])
    async def test_types_are_those_of_the_setting(self, issuer, types):
        tokens = taking(GivenKeys([key_of_pem(issuer.pem.encode())]), types=types)
        for typ in ("at+jwt", "JWT", None):
            token = issuer.token(headers={"typ": typ}).encode()
            if (typ or "none") in types:
                assert (await tokens.principal(token)).person == "ann"
            else:
                with pytest.raises(Unauthorized):
                    await tokens.principal(token)


class TestKeys:
    def test_key_checks_the_algorithms_of_its_kind(self):
        assert "HS256" not in algorithms_of(rsa.generate_private_key(65537, 2048).public_key())
        assert algorithms_of(ec.generate_private_key(ec.SECP384R1()).public_key()) == ("ES384",)
        assert algorithms_of(ed25519.Ed25519PrivateKey.generate().public_key()) == ("EdDSA",)
        for weak in (rsa.generate_private_key(65537, 1024), ec.generate_private_key(ec.SECP256K1())):
            with pytest.raises(ValueError, match="no key of RSA"):
                algorithms_of(weak.public_key())

    def test_rsa_keys_must_have_the_set_length_and_weak_ones_are_logged(self):
        short, long = (rsa.generate_private_key(65537, bits).public_key() for bits in (2048, 3072))
        with pytest.raises(ValueError, match="3072 to 8192 bits"):
            algorithms_of(short, 3072)
        assert algorithms_of(long, 3072)
        with capture_logs() as lines:
            assert not warn_of_weak_keys([PublicKey(None, ("RS256",), long)])
            assert warn_of_weak_keys([PublicKey(None, ("RS256",), each) for each in (long, short)])
        assert [(each["log_level"], each["bits"]) for each in lines] == [("warning", 2048)]

    def test_rsa_key_of_excessive_length_is_refused(self):
        for bits, taken in ((MOST_RSA_BITS, True), (MOST_RSA_BITS + 1, False)):
            key = rsa.RSAPublicNumbers(65537, (1 << bits) - 1).public_key()
            if taken:
                assert "RS256" in algorithms_of(key)
            else:
                with pytest.raises(ValueError, match="2048 to 8192 bits"):
                    algorithms_of(key)

    @pytest.mark.parametrize(
        "entry",
        [
            {"kty": "RSA", "alg": "none", "n": "AQAB", "e": "AQAB"},
            {"kty": "RSA", "n": 5, "e": []},
            {"kty": "EC", "crv": [], "x": "AQAB", "y": "AQAB"},
            {"kty": "EC", "crv": "P-256", "x": "AQAB", "y": None},
            {"kty": "OKP", "crv": "X25519", "x": "AQAB"},
            {"kty": "XYZ"},
            {},
        ],
    )
    def test_malformed_entry_is_skipped_and_logged(self, issuer, entry):
        (good,) = issuer.document()["keys"]
        with capture_logs() as lines:
            (key,) = read_keys(orjson.dumps({"keys": [{"kid": "odd" * 100, **entry}, good]}))
        assert key.key_id == good["kid"]
        (line,) = lines
        assert line["event"] == "a key of the issuer is left out"
        assert line["key_id"] == ("odd" * 100)[:100]

    def test_private_key_is_refused(self, issuer):
        private = issuer.private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        with pytest.raises(ValueError, match="no public key"):
            key_of_pem(private)

    @pytest.mark.parametrize(
        "document", [b"{}", b'{"keys":[]}', b'{"keys":5}', b"[]", b"<html>", b'{"keys":[{}]}']
    )
    def test_document_without_a_key_is_refused(self, document):
        with pytest.raises(ValueError):  # noqa: PT011
            read_keys(document)

    def test_encryption_key_is_skipped(self, issuer):
        (key,) = issuer.document()["keys"]
        with pytest.raises(ValueError, match="no key"):
            read_keys(b'{"keys":[' + str({**key, "use": "enc"}).replace("'", '"').encode() + b"]}")


class TestFetching:
    @pytest.fixture
    async def owner(self):
        owner = TaskOwner()
        yield owner
        await owner.finish(grace_s=5)

    @pytest.fixture
    def clock(self) -> Monotonic:
        return Monotonic()

    @pytest.fixture
    def fetched(self, owner, clock, issuer) -> FetchedKeys:
        transport = httpx2.MockTransport(issuer.answer)
        return FetchedKeys(KEYS, owner.spawn_detached, monotonic=clock, transport=transport)

    async def test_keys_are_fetched_once_for_concurrent_requests(self, fetched, issuer):
        tokens = taking(fetched)
        token = issuer.token().encode()
        found = await asyncio.gather(*(tokens.principal(token) for _ in range(20)))
        assert {each.person for each in found} == {"ann"}
        assert issuer.fetched == 1
        await fetched.close()

    async def test_new_key_is_found_soon_without_flooding_the_issuer(self, fetched, issuer, clock):
        tokens = taking(fetched)
        await tokens.principal(issuer.token().encode())
        stranger = Issuer("unknown")
        for _ in range(50):
            with pytest.raises(Unauthorized):
                await tokens.principal(stranger.token().encode())
        assert issuer.fetched == 1
        issuer.key_id, issuer.private = "two", ec.generate_private_key(ec.SECP256R1())
        clock.now += keys.AGAIN_AFTER_S
        assert (await tokens.principal(issuer.token().encode())).person == "ann"
        assert issuer.fetched == 2

    async def test_known_keys_serve_while_the_issuer_is_down(self, fetched, issuer, clock):
        tokens = taking(fetched)
        issuer.is_down = True
        with pytest.raises(KeysUnavailable):
            await tokens.principal(issuer.token().encode())
        issuer.is_down = False
        clock.now += keys.AGAIN_AFTER_S
        await tokens.principal(issuer.token().encode())
        issuer.is_down = True
        clock.now += 10 * keys.FRESH_S
        for _ in range(3):
            assert (await tokens.principal(issuer.token().encode())).person == "ann"

    @pytest.mark.parametrize(
        "answer", [httpx2.Response(302, headers={"location": "https://evil.example"}), b"x"]
    )
    async def test_redirect_and_endless_answer_are_refused(self, owner, clock, issuer, answer):
        if isinstance(answer, bytes):
            answer = httpx2.Response(200, content=answer * (keys.MOST_BYTES + 1))
        asked = []

        def respond(request: httpx2.Request) -> httpx2.Response:
            asked.append(str(request.url))
            return answer

        transport = httpx2.MockTransport(respond)
        fetched = FetchedKeys(KEYS, owner.spawn_detached, monotonic=clock, transport=transport)
        with pytest.raises(KeysUnavailable):
            await taking(fetched).principal(issuer.token().encode())
        assert asked == [KEYS]

    async def test_cancelled_request_does_not_end_the_fetch(self, owner, clock, issuer):
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def slow(request: httpx2.Request) -> httpx2.Response:
            begun.set()
            await go_on.wait()
            return issuer.answer(request)

        fetched = FetchedKeys(
            KEYS, owner.spawn_detached, monotonic=clock, transport=httpx2.MockTransport(slow)
        )
        tokens = taking(fetched)
        first = owner.spawn_detached(tokens.principal(issuer.token().encode()), name="first")
        second = owner.spawn_detached(tokens.principal(issuer.token().encode()), name="second")
        await begun.wait()
        first.cancel()
        go_on.set()
        assert (await second).person == "ann"
