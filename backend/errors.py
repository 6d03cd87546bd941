"""Every error that can reach a client, and how it is rendered.

```
DetourError                    500 internal
├── BadInput                   422 bad_input
│   ├── BodyTooLarge           413 too_large
│   └── UnsupportedMediaType   415 unsupported_media_type
├── Unauthorized               401 unauthorized
├── Forbidden                  403 forbidden
├── NotFound                   404 not_found
├── Conflict                   409 conflict
│   ├── QueueFull              409 queue_full            (retryable)
│   └── NotOpen                409 answered | withdrawn | expired
├── TooManyRequests            429 too_many_requests     (retryable)
├── StoreUnavailable           503 store_unavailable     (retryable)
├── ShuttingDown               503 shutting_down         (retryable)
├── GraphFailedError           500 graph_failed
├── ModelError                 502 model_failed          (retryable)
└── ProviderError              502 provider_failed       (retryable)
    ├── NotOnSale              422 not_on_sale
    ├── BookingRefused         422 booking_refused
    ├── OutcomeUnknown         502 outcome_unknown
    └── QuoteChanged           409 quote_changed
```

An error's message is a sentence for a person; its `code` is for programs. One handler renders all of
them, so no route builds an error body itself.
"""

from typing import Any, ClassVar


class DetourError(Exception):
    """Something a client is told about. `details` is JSON-ready and optional."""

    code: ClassVar[str] = "internal"
    status_code: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    retry_after_s: int | None = None

    def __init__(self, message: str, *, code: str | None = None, details: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        self._code = code

    def to_json(self) -> dict[str, Any]:
        """Return the contract's error object."""
        body: dict[str, Any] = {
            "code": self._code or self.code,
            "message": self.message,
            "retryable": self.retryable,
        }
        if self.details is not None:
            body["details"] = self.details
        return {"error": body}


class BadInput(DetourError):
    """What was sent cannot be understood; the message names the field."""

    code = "bad_input"
    status_code = 422

    @classmethod
    def of_fields(cls, *faults: tuple[str, str]) -> "BadInput":
        """Return one error for fields and what is wrong with each; the message names the first."""
        details = [{"field": field, "message": message} for field, message in faults]
        field, message = faults[0]
        return cls(f"{field}: {message}{'' if message.endswith(('.', '?')) else '.'}", details=details)


class BodyTooLarge(BadInput):
    """More was sent than is accepted."""

    code = "too_large"
    status_code = 413


class UnsupportedMediaType(BadInput):
    """A body of another kind than JSON was sent."""

    code = "unsupported_media_type"
    status_code = 415


class Unauthorized(DetourError):
    """The server asks for a token, and none or a wrong one came."""

    code = "unauthorized"
    status_code = 401


class Forbidden(DetourError):
    """The sender is not one that this server serves."""

    code = "forbidden"
    status_code = 403


class NotFound(DetourError):
    """Nothing is known under that id."""

    code = "not_found"
    status_code = 404


class Conflict(DetourError):
    """The request is well-formed but comes at the wrong moment."""

    code = "conflict"
    status_code = 409


class QueueFull(Conflict):
    """Too many messages of the user wait already; once some are answered, there is room."""

    code = "queue_full"
    retryable = True


class NotOpen(Conflict):
    """What is answered is no longer asked."""

    code = "withdrawn"


class TooManyRequests(DetourError):
    """The sender goes faster than is allowed."""

    code = "too_many_requests"
    status_code = 429
    retryable = True

    def __init__(self, message: str, *, retry_after_s: int = 5) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class StoreUnavailable(DetourError):
    """The store cannot take or give anything now; what was sent was not accepted."""

    code = "store_unavailable"
    status_code = 503
    retryable = True
    retry_after_s = 2


class ShuttingDown(DetourError):
    """The server is going down; what was sent was not accepted."""

    code = "shutting_down"
    status_code = 503
    retryable = True
    retry_after_s = 2


class GraphFailedError(DetourError):
    """A graph did what cannot be carried out; the message is fit to be shown."""

    code = "graph_failed"


class ModelError(DetourError):
    """A language model did not answer, or broke off; the message is fit to be shown."""

    code = "model_failed"
    status_code = 502
    retryable = True


class ProviderError(DetourError):
    """A provider that a tool asks has failed; the message is fit to be shown."""

    code = "provider_failed"
    status_code = 502
    retryable = True


class NotOnSale(ProviderError):
    """A provider does not sell such a thing at all; asking again will not help."""

    code = "not_on_sale"
    status_code = 422
    retryable = False


class BookingRefused(ProviderError):
    """A provider has certainly not done what it was asked; the message says why."""

    code = "booking_refused"
    status_code = 422
    retryable = False


class OutcomeUnknown(ProviderError):
    """A provider may or may not have done what it was asked; ask it, and never send it again."""

    code = "outcome_unknown"
    retryable = False


class QuoteChanged(ProviderError):
    """What was allowed is not what would be done now: the price is another one, say. Nothing was done."""

    code = "quote_changed"
    status_code = 409
    retryable = False
