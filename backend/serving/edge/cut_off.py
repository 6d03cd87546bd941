"""What a request is told that the server's end cuts off."""

from collections.abc import Awaitable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import ShuttingDown
from ..wire.error_reply import ErrorForms, send_error

_CUT_OFF = "The server went down before this was answered, and it may have been done; please try again."


class AnswersWhatIsCutOff:
    """ASGI application around another one: a request that is cancelled before its answer began is refused.

    The web server cancels requests that have taken all the grace, and would answer them as faults.
    """

    def __init__(self, app: ASGIApp, error_forms: ErrorForms) -> None:
        self._app = app
        self._error_forms = error_forms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection. Cancelling it cancels the inner application's."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = has_ended = False

        def noted(message: Message) -> Awaitable[None]:
            nonlocal has_begun
            has_begun = True
            return send(message)

        try:
            await self._app(scope, receive, noted)
            has_ended = True
        except Exception:
            has_ended = True
            raise
        finally:
            if not (has_begun or has_ended):
                error = ShuttingDown(_CUT_OFF)
                await send_error(send, error, self._error_forms.body(scope["path"], error))
