"""Every error that a client can see, and how it is rendered.

```
DetourError                    500 internal
├── BadInput                   422 bad_input
│   ├── BodyTooLarge           413 too_large
│   ├── QuotaExceeded          413 quota_exceeded
│   └── UnsupportedMediaType   415 unsupported_media_type
├── Unauthorized               401 unauthorized
│   └── TokenExpired           401 token_expired
├── Forbidden                  403 forbidden
├── NotFound                   404 not_found
├── Conflict                   409 conflict
│   ├── QueueFull              409 queue_full            (retryable)
│   └── NotOpen                409 answered | withdrawn | expired
├── TooManyRequests            429 too_many_requests     (retryable)
├── StoreUnavailable           503 store_unavailable     (retryable)
├── ShuttingDown               503 shutting_down         (retryable)
├── KeysUnavailable            503 keys_unavailable      (retryable)
├── GraphFailedError           500 graph_failed
├── ModelError                 502 model_failed          (retryable)
└── ProviderError              502 provider_failed       (retryable)
    ├── NotOnSale              422 not_on_sale
    ├── BookingRefused         422 booking_refused
    ├── OutcomeUnknown         502 outcome_unknown
    └── QuoteChanged           409 quote_changed
```

An error's message is a sentence for people; its `code` is for programs. One handler renders all of them; no
route builds an error body itself.
"""

from typing import Any, ClassVar, NotRequired

from typing_extensions import TypedDict

WENT_WRONG = "Something went wrong on our side."
"""The message of a fault of the program; the log has the details."""


class ErrorBody(TypedDict):
    """What went wrong."""

    code: str
    message: str
    retryable: bool
    details: NotRequired[Any]


class ErrorAnswer(TypedDict):
    """Every error has this form."""

    error: ErrorBody


class DetourError(Exception):
    """An error that a client sees. `details` is JSON-ready and optional."""

    code: ClassVar[str] = "internal"
    status_code: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    retry_after_s: int | None = None

    def __init__(self, message: str, *, code: str | None = None, details: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        self._code = code

    def to_json(self) -> ErrorAnswer:
        """Return the contract's error object."""
        body: ErrorBody = {
            "code": self._code or self.code,
            "message": self.message,
            "retryable": self.retryable,
        }
        if self.details is not None:
            body["details"] = self.details
        return {"error": body}


class BadInput(DetourError):
    """The request is invalid; the message names the field."""

    code = "bad_input"
    status_code = 422

    @classmethod
    def of_fields(cls, *faults: tuple[str, str]) -> "BadInput":
        """Return one error for several fields, each with its fault; the message names the first."""
        details = [{"field": field, "message": message} for field, message in faults]
        field, message = faults[0]
        return cls(f"{field}: {message}{'' if message.endswith(('.', '?')) else '.'}", details=details)


class BodyTooLarge(BadInput):
    """The request's body is larger than the server accepts."""

    code = "too_large"
    status_code = 413


class QuotaExceeded(BadInput):
    """A conversation has stored as much as it may; what it has stays readable, and can be deleted."""

    code = "quota_exceeded"
    status_code = 413


class UnsupportedMediaType(BadInput):
    """The request's body is not JSON."""

    code = "unsupported_media_type"
    status_code = 415


class Unauthorized(DetourError):
    """The request has no token, or a wrong one."""

    code = "unauthorized"
    status_code = 401


class TokenExpired(Unauthorized):
    """The token was right once: its client gets another one."""

    code = "token_expired"


class Forbidden(DetourError):
    """The server does not serve this sender."""

    code = "forbidden"
    status_code = 403


class NotFound(DetourError):
    """Nothing has that id."""

    code = "not_found"
    status_code = 404


class Conflict(DetourError):
    """The request is well-formed but comes at the wrong moment."""

    code = "conflict"
    status_code = 409


class QueueFull(Conflict):
    """Too many messages of the user are queued; the queue has room again once some are answered."""

    code = "queue_full"
    retryable = True


class NotOpen(Conflict):
    """The question is no longer open."""

    code = "withdrawn"


class TooManyRequests(DetourError):
    """The sender has exceeded its rate limit."""

    code = "too_many_requests"
    status_code = 429
    retryable = True

    def __init__(self, message: str, *, retry_after_s: int = 5) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class StoreUnavailable(DetourError):
    """The store cannot write or read now; the request was not accepted."""

    code = "store_unavailable"
    status_code = 503
    retryable = True
    retry_after_s = 2


class ShuttingDown(DetourError):
    """The server is shutting down; the request was not accepted, unless the message says that it may be."""

    code = "shutting_down"
    status_code = 503
    retryable = True
    retry_after_s = 2


class KeysUnavailable(DetourError):
    """Nobody can be signed in now: the token signing keys cannot be fetched."""

    code = "keys_unavailable"
    status_code = 503
    retryable = True
    retry_after_s = 5


class GraphFailedError(DetourError):
    """A graph did something that cannot be carried out; the message is fit to be shown."""

    code = "graph_failed"


class ModelError(DetourError):
    """A language model did not answer, or its answer broke off; the message is fit to be shown."""

    code = "model_failed"
    status_code = 502
    retryable = True


class ProviderError(DetourError):
    """A tool's provider failed; the message is fit to be shown."""

    code = "provider_failed"
    status_code = 502
    retryable = True


class NotOnSale(ProviderError):
    """The provider does not sell this at all; a retry does not help."""

    code = "not_on_sale"
    status_code = 422
    retryable = False


class BookingRefused(ProviderError):
    """The provider refused, and certainly did nothing; the message says why."""

    code = "booking_refused"
    status_code = 422
    retryable = False


class OutcomeUnknown(ProviderError):
    """The provider may or may not have carried out the request: ask for its outcome, never repeat it."""

    code = "outcome_unknown"
    retryable = False


class QuoteChanged(ProviderError):
    """The offer differs from what was allowed, in price for example. Nothing was done."""

    code = "quote_changed"
    status_code = 409
    retryable = False
