"""Tracing with OpenTelemetry: folds what the log stores into spans, and sends them to a collector.

`telemetry` and what it uses import OpenTelemetry, an optional extra. `loading` imports `telemetry` by name,
only where tracing is switched on.
"""
