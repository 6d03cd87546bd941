"""Any LangGraph graph behind the core: loaded, run, paused, resumed, its tools on the ledger."""
