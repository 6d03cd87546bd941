"""Where a server is found."""

from .settings import Settings

ANY_ADDRESS = ("0.0.0.0", "::", "")


def link(settings: Settings) -> str:
    """Return the address of a server's page, with the token in its fragment if the server has one.

    It is the public address, or else the one for programs on this machine.
    """
    token = settings.token.get_secret_value() if settings.token else ""
    fragment = f"#token={token}" if token else ""
    return f"{settings.public_url or f'http://{_on_this_machine(settings)}'}/{fragment}"


def _on_this_machine(settings: Settings) -> str:
    host = "127.0.0.1" if settings.host in ANY_ADDRESS else settings.host
    return f"[{host}]:{settings.port}" if ":" in host else f"{host}:{settings.port}"
