"""Other people's protocols over the same conversations: each client finds the server that it was written for.

`thread/` folds a user's stored events into what these protocols have in common, a thread with runs. Each
folder beside it renders that for one protocol: `langgraph/`, `ai_sdk/`, `ag_ui/`, `mcp/`, `openai/`, `a2a/`.
A new protocol is a folder whose `routes` has `groups`, a row of `_FOLDERS` in `routes`, and a name in
`http.settings.Protocol`.
"""
