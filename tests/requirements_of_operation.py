"""What the project promises to those who run a server: a part of `tests.requirements`."""

SEEN_THROUGH: dict[str, str] = {
    "DASHBOARD-ASKS-FOR-WHAT-IS-TOLD": (
        "The dashboard and the alert rules ask for figures that servers tell; each alert is explained."
    ),
    "REPLICAS-TELL-THEIR-PART": (
        "A replica tells at `/metrics` its name, whom it took over or let go, and what it forwarded."
    ),
    "REFUSALS-ARE-EXPLAINED": (
        "A refusal is a line in the log with its rule and whose it was; a flood makes few lines."
    ),
    "A-BLOCKED-LOOP-IS-TOLD": (
        "Code that keeps the event loop blocked is named with its node and line, and counted; once its "
        "server was killed for it twice, its message is given up."
    ),
    "A-GRAPHS-SERVER-IS-LIGHT": (
        "A server for a graph imports nothing of the travel assistant and no library that it does not use: a "
        "quarter more CPU than its libraries, 115 MiB."
    ),
    "TASKS-ARE-TRACED": (
        "With tracing, a span tells of each task, agent, tool call and model call, in the caller's trace."
    ),
    "USAGE-IS-COUNTED-OR-ESTIMATED": (
        "Each ending tells the tokens that models used: as services counted them, or marked as an estimate."
    ),
    "INTERRUPTIONS-ARE-LINKED": (
        "The spans of an interrupted or lost task and of its successor are linked, with the reason."
    ),
    "SPANS-TELL-NO-WORDS": "No span tells what anybody said, or who it was, unless that is switched on.",
    "OPERATORS-SEE-TASKS-WITHOUT-WORDS": (
        "At `/operate` an operator sees what runs, for whom and how it went, without a word, and stops it."
    ),
    "DRAINING-ENDS-NO-TASK": (
        "A drained server begins no new work, ends none that runs, and serves again when it is told to."
    ),
    "A-STOP-TELLS-WHO": "A receipt and the conversation tell whether a user or an operator stopped a task.",
    "A-ROLLING-RESTART-REFUSES-NOTHING": (
        "A replica that is told to end serves everything until its balancer knows, then gives up its users."
    ),
    "RELEASES-RUN-SIDE-BY-SIDE": (
        "What a later release writes beside what this one knows is passed over, in stores and among replicas."
    ),
    "TRACING-COSTS-NO-TASK": (
        "Tracing that is off imports nothing; a collector that fails costs spans and nothing else."
    ),
}

DATA_AT_REST: dict[str, str] = {
    "MIGRATIONS-WHOLE": (
        "An older data file gets each change of the tables whole or not at all; a newer one is refused."
    ),
    "BACKUP-WHILE-SERVING": (
        "A copy of the data file is whole and of one instant, though messages go on; put back, it serves."
    ),
    "AGED-TURNS-GO": (
        "What ended more than `DETOUR_KEEP_DAYS` ago goes by itself, with all its rows; nothing at work does."
    ),
    "EXPORT-HAS-EVERYTHING": (
        "An export has every row that is stored of a user, of one instant, the same from every store."
    ),
}

DELIVERED: dict[str, str] = {
    "CONTAINER-IS-LOCAL": "The container published by docker compose can be reached from this machine only.",
    "KUBERNETES-ENDS-REPLICAS-IN-ORDER": (
        "The Kubernetes manifests fit to server and image, and end one replica at a time, in order."
    ),
    "COMPOSE-STARTS-ONE-OR-THREE": (
        "By docker compose one server starts, and with the profile `cluster` three that share a database."
    ),
}

SHARED_OUT: dict[str, str] = {
    "A-USER-HAS-A-QUOTA": (
        "Who has stored too much is told what to delete, can read all of it, and has room afterwards."
    ),
    "NO-USER-TAKES-ALL-PROCESSES": (
        "Tools that run programs serve users in rotation: who comes after a long queue waits a turn."
    ),
    "NO-ADDRESS-TAKES-ALL": (
        "One address cannot have every connection, all memory for bodies, all turns for answers, or all "
        "that waits to be read."
    ),
    "CALLS-GO-WHERE-THEY-ARE-SENT": (
        "The server calls other machines by https alone, unless they are named, and follows no redirect."
    ),
    "DATABASE-TRANSPORT-IS-STATED": (
        "A database on another machine is reached only where it is said whether the connection is encrypted."
    ),
    "LIMITS-ARE-SHARED": (
        "Replicas count together how often something happens; without the database each counts alone."
    ),
    "GUESSING-IS-SLOW": (
        "Wrong tokens slow down the address that they come from, and nobody else; the log tells of them."
    ),
}
