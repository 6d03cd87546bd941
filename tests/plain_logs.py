"""What is logged where no server has set up its logs: structlog's own lines, with Python's own tracebacks."""

import structlog


def configure() -> None:
    """Set structlog up as it comes, but for how it prints an exception.

    As it comes it has Rich print one, with the variables of each frame: 13 s of CPU for one error of a graph.
    """
    structlog.reset_defaults()
    *processors, _ = structlog.get_config()["processors"]
    renderer = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*processors, renderer])
