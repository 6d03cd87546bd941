"""Tracing with OpenTelemetry, an optional extra: only `loading` imports it, and only where it is on."""
