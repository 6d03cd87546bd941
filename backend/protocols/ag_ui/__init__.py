"""AG-UI 1.0, and the HTTP of CopilotKit's runtime: runs as streams of typed events."""
