"""The settings of a server that is started by a command: from its flags, the environment and `.env`."""

from collections.abc import Sequence

from .flags import read_flags
from .identity_settings import wrong_together
from .read_settings import WrongSettingsError, read_settings
from .settings import Settings


def settings_of_command(kind: type[Settings], given: Sequence[str], *, about: str) -> Settings:
    """Return the settings that a command line, the environment and `.env` give. Raises SystemExit."""
    try:
        settings = read_settings(kind, read_flags(given, kind, program="detour serve", about=about))
    except WrongSettingsError as error:
        raise SystemExit(str(error)) from None
    wrong = wrong_together(settings, settings.host, any_origin="*" in settings.allowed_origins)
    if wrong:
        raise SystemExit("\n".join(wrong))
    return settings
