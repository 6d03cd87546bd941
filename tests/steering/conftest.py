"""What these tests make go wrong would be logged by the thousand."""

from tests.interruption.conftest import no_logs

__all__ = ["no_logs"]
