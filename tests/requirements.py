"""What the project promises, by subject, the promises that matter most first; each has an id.

A test says `@pytest.mark.requirement("ID")` for each promise it helps to keep. `test_requirements.py`
enforces both ways: no promise without a test, no test for a promise that is not made here. `make docs` writes
docs/promises.md from it.
"""

from tests.requirements_of_operation import DATA_AT_REST, DELIVERED, SEEN_THROUGH, SHARED_OUT
from tests.requirements_of_travel import BOOKINGS, TRAVEL

GROUPS: dict[str, dict[str, str]] = {
    "Interruption": {
        "CHANGING-ONES-MIND": (
            "A newer message interrupts the active task; what it had found is kept and reported truthfully."
        ),
        "NEWEST-MESSAGE-WINS": (
            "A user's newest message is answered; each task it interrupts ends with its true reason."
        ),
        "ONE-ACTIVE-TASK": "A user has one active task, however many messages arrive at the same instant.",
        "NOTHING-AFTER-THE-INTERRUPTION": (
            "From the instant of its interruption a task publishes nothing, however badly it ends."
        ),
        "FOUND-IS-KEPT": "What an interrupted task had found is kept, and counted alike wherever reported.",
        "FINDINGS-ARE-HANDED-ON": (
            "The next task receives what was found, past interrupted tasks that found nothing."
        ),
        "CARRYOVER-IS-TRUE": (
            "Findings that still answer the new request are reported as carried over, all others as dropped."
        ),
        "WHAT-FITS-STAYS": "A change that only narrows is answered at once from what there is.",
        "FOUND-ANSWERS-QUESTIONS": "What was found answers questions about it; they interrupt nothing.",
        "EACH-RESULT-HAS-A-FATE": "Each result of the task before stays, waits or goes, and is told to.",
        "KEPT-OFFERS-ARE-BOOKED": "Offers of earlier requests can be booked; what has changed is told first.",
        "EARLIER-REQUESTS-RETURN": "An earlier request is taken up again with what had been found for it.",
        "UNDO-GOES-BACK": (
            "Undo takes back the last change, twice the last two, and redo comes forward again."
        ),
        "START-OVER-FORGETS": "Who starts over is told that all is forgotten, and nothing of it comes back.",
        "SEARCHES-GO-ON": (
            "A search that the next message still asks for continues there, or is shown again if over."
        ),
        "STOP-IS-TRUE": "A stop ends what it names, asides and waiting tasks too, and the receipt says so.",
        "STOPS-IN-MANY-WORDS": (
            "A search is stopped in whatever words people stop, and by no word that only looks like one."
        ),
        "STOP-IS-IDEMPOTENT": (
            "Stopping answers with the receipt, and with the same one however often it is repeated."
        ),
        "A-STOP-HANDS-ON-NOTHING": "A stop ends every search at once; no later message adopts one of them.",
        "AGENTS-STOP-ALONE": (
            "One agent can be stopped: its findings are kept, the others continue, and the reply says so."
        ),
        "SMALL-TALK-INTERRUPTS-NOTHING": "Small talk is answered beside a task, and interrupts nothing.",
        "STEERED-ONCE": (
            "A message that steers is taken in once by the running task, or becomes the next message, and is "
            "told to."
        ),
        "PAGE-SHOWS-WHAT-STEERS": (
            "The page shows what waits to be taken in, the same in all windows, lets one change it, and says "
            "what Enter does."
        ),
        "STUCK-TASKS-ARE-RELEASED": (
            "A task that ignores its cancellation is let go of within seconds, and delays nobody."
        ),
        "WAITING-KEEPS-ITS-ORDER": (
            "Waiting messages start by priority, then in the order they came, over restarts as well."
        ),
        "TERMINAL-IS-FINAL": (
            "A task that has completed, failed or been interrupted never changes again, whoever writes."
        ),
        "EVERY-PHASE-EVERY-EVENT": (
            "Whatever interrupts a task in whatever phase, the outcome is that of the conformance table."
        ),
        "ALL-HOLDS-IN-ANY-ORDER": (
            "Whatever happens in whatever order, all promises hold and all reports agree with the events."
        ),
    },
    "Messages and storage": {
        "ACCEPTED-IS-DURABLE": (
            "What was accepted survives a kill of the process at any moment, as does every number seen."
        ),
        "RETRIES-START-NOTHING": (
            "A message sent again with its client id gets the first answer and starts nothing."
        ),
        "A-KILL-LOSES-NOTHING": (
            "A kill at any instant loses no accepted message and no event that a client has seen."
        ),
        "RECOVERY-HOLDS-UP-NOBODY": (
            "After a restart users are recovered side by side, and others are served at once."
        ),
        "LOST-IS-TAKEN-UP": (
            "A message whose task was lost with its process is resumed, with what had been found."
        ),
        "REPLICAS-ARE-ONE": (
            "A message, answer, stop or deletion sent to any replica is decided once, where the task runs."
        ),
        "ANY-REPLICA-IS-FOLLOWED": (
            "Whoever follows a user at one replica sees what any other stores, without gap or duplicate."
        ),
        "A-DEAD-REPLICA-IS-TAKEN-OVER": (
            "Users of a replica that dies, freezes or ends are taken over, and it stores nothing more."
        ),
        "SERVERS-ONLY-CALL-FUNCTIONS": (
            "A server's role in PostgreSQL reads tables and calls functions, and can change nothing besides."
        ),
        "A-TASK-WAITS-FOR-THE-STORE": (
            "A task that begins while the store is down waits for it, and does not fail for that."
        ),
        "OLD-DATA-FILES": (
            "A data file of any released version is served: nothing kept in it makes a message fail."
        ),
        **DATA_AT_REST,
        "TURNS-ORDER-A-CONVERSATION": (
            "A clock that is set back changes neither the status nor what the next message refers to."
        ),
        "REFUSED-CHANGES-NOTHING": (
            "A refused message gets a sentence and changes nothing; the active task continues."
        ),
        "A-503-ACCEPTED-NOTHING": (
            "What was answered with a 503 was not accepted: sent again, it is not there twice."
        ),
        "SHUTDOWN-IN-GOOD-ORDER": (
            "A server told to end settles its tasks, closes with 1012, and resumes at the next start."
        ),
        "SHUTDOWN-LEAVES-NOTHING-RUNNING": (
            "During a shutdown a message is refused, or its task settled and resumed at the start."
        ),
        "A-FULL-DISK-IS-SURVIVED": (
            "On a full disk messages are refused, not lost, and all works once there is room."
        ),
        "FULL-DISK-ACCEPTS-NOTHING": (
            "On a full disk everything new is refused, nothing is kept by halves, and room is all it takes."
        ),
        "RESULTS-ARE-BOUNDED": (
            "A task that shows more than it may fails with a sentence; what it showed is kept."
        ),
        "LARGE-READS-DELAY-NOBODY": "Large results are read in pieces, so that no write waits for them.",
        "DELETE-FORGETS": (
            "A deleted user is forgotten whole, in the file as well; one of that name begins anew."
        ),
    },
    "Events": {
        "NUMBERS-HAVE-NO-HOLES": (
            "A user's events are numbered one after the other; none is ever skipped or used twice."
        ),
        "FOLLOWING-MISSES-NOTHING": (
            "Whoever follows a user's events gets each once and in order, or is told to begin again."
        ),
        "REPLAYED-AS-SENT": (
            "A replayed event is byte for byte what was sent live, though results are stored only once."
        ),
        "REPLAY-WITHOUT-HOLES": (
            "Whoever returns with a position gets every event after it once, in order, or a plain reset."
        ),
        "EVENTS-TELL-CHANGES": "A status is published once for each change, however often the store fails.",
        "EVENTS-TELL-EVERYTHING": "A snapshot and the events after it hold all that look-ups answer.",
        "A-SOCKET-IS-NEVER-A-STOP": "Closing a socket or a page, in whatever way, never stops a task.",
        "A-SLOW-READER-SLOWS-NOBODY": (
            "A client that does not read is disconnected; nobody else waits for it or misses anything."
        ),
    },
    "Tool calls": {
        "RECEIPTS-ARE-AMENDED": (
            "The outcome of a call that is known only after its task has ended amends the task's receipt."
        ),
        "ADOPTION-IS-EXACT": "A search is adopted only by a request of the same user for exactly the same.",
        "CALLS-ARE-BOUNDED": (
            "A user with many running searches waits for their own to end, and delays nobody else."
        ),
        "FAILURES-STAY-ALONE": (
            "A failed source or agent leaves the others' results; a graph that raises fails its task only."
        ),
        "NO-PROCESS-IS-LEFT": (
            "A program that a tool runs ends with its call, and with the server, whatever it does."
        ),
        "THREADS-ARE-LET-GO": (
            "A function in a thread that ignores its end blocks no later call and no end of the server."
        ),
        "BLOCKING-HOLDS-UP-ITS-OWN-USER": (
            "Blocking nodes and tools of one user delay no other user, and no end of the server."
        ),
        "TOKENS-OF-ANY-GRAPH": (
            "What the models of any graph say is shown word by word, as the reply or as the text of its node."
        ),
        "STATE-LIVES-ON": (
            "The state of any graph lives on from message to message, over interruptions, restarts and kills."
        ),
        "SEVERAL-GRAPHS": (
            "One server serves several graphs; each message, answer and retry leads to the one it is for."
        ),
        "STATE-IS-KEPT-BY-STEPS": (
            "Each step of a user's thread is stored, shown and deleted with its user; old ones are dropped."
        ),
        "RETURN-TO-A-STEP": (
            "A message may begin from any kept step, over a kill too; both branches stay, told truthfully."
        ),
        "STATE-AFTER-AN-UPGRADE": (
            "What of a stored state its graph refuses is set aside and said; the user is answered."
        ),
        "A-STORE-FOR-EACH-USER": (
            "A graph may keep things of each user in LangGraph's Store, durably and apart from all others."
        ),
        "GRAPHS-GET-WHAT-THEY-NEED": (
            "A message may bring input, context and `configurable` for its graph; what does not fit is named."
        ),
        "ANY-KIND-OF-GRAPH": (
            "Graphs of all kinds that LangGraph offers answer, remember, and are interrupted truly."
        ),
        "PROGRAMS-END-WITH-THEIR-TOOL": (
            "A program that an async tool or node started ends with it, and so does all that it has started."
        ),
        "TOOLS-NOBODY-DECLARED": (
            "Tools that a graph calls by itself are shown, and the receipt says what became of each call."
        ),
        "FAULTS-STAY-ALONE": (
            "A tool or node that raises, floods, awaits for ever or returns no JSON fails its task alone."
        ),
        "STEPS-THAT-RUN-ON": (
            "A step of a graph that nothing can stop and that outlives its task is told, and so is its end."
        ),
        "ANY-GRAPH-LOADS": (
            "Any graph, or what makes one, is served; or a sentence at the start says what to change."
        ),
        "TOOLS-OF-ANY-GRAPH": (
            "The nodes of a hosted graph may use tools of every kind that the ledger accounts for."
        ),
    },
    "Writes and bookings": BOOKINGS,
    "Questions": {
        "ANSWERED-ONCE": (
            "Of several answers to a question, or an answer and what withdraws it, exactly one counts."
        ),
        "NO-MESSAGE-IS-SWALLOWED": (
            "A message while a question is open answers it, leaves it open, or withdraws it visibly."
        ),
        "QUESTIONS-OF-ANY-GRAPH": (
            "What an ordinary graph asks, in LangChain's shapes too, can be answered as it expects."
        ),
        "ASKING-HOLDS-UP-NOTHING": (
            "While one agent waits for the user the others work on; after that nothing of the task runs."
        ),
        "QUESTIONS-SURVIVE": (
            "An open question survives a kill or a restart, and its task resumes with the answer."
        ),
        "QUESTIONS-EXPIRE": (
            "A question that nobody answers in time expires; its task ends, and its findings are kept."
        ),
    },
    "Language models": {
        "MODEL-HISTORY-IS-VALID": (
            "What a model is sent is valid for every service at every instant: each call has one result."
        ),
        "MODEL-STREAMS-ARE-CLOSED": (
            "An interruption closes the model's stream at once; the text that the user saw is kept."
        ),
        "MODELS-ARE-NOT-TRUSTED": (
            "What a schema refuses is never executed; text from providers is data, and never a grant."
        ),
        "RULES-STAND-IN-FOR-MODELS": (
            "Where a model fails or takes too long the rules take over, and nothing is said twice."
        ),
        "USAGE-IS-TOLD": "Every ending reports what models have used: as an estimate where a stream was cut.",
    },
    "The travel assistant": TRAVEL,
    "Access and operation": {
        "STRANGERS-STAY-OUT": (
            "Only this machine's programs and this server's own pages get in, unless more is configured."
        ),
        "NOBODY-REACHES-OTHERS": (
            "Where people are told apart, a conversation is its person's; to anybody else it is unknown."
        ),
        "SESSIONS-END": (
            "A sign-out and an expiry end a session everywhere, its streams too; a ticket counts once."
        ),
        "NO-DOOR-BY-MISTAKE": (
            "A server that strangers could enter, or listen in on, does not start, and says what it needs."
        ),
        "A-TOKEN-IS-ASKED-EVERYWHERE": (
            "With a token set, every call and socket but the pages, liveness and signing in needs it."
        ),
        "A-TOKEN-IS-ASKED-OF-THE-PAGE": (
            "Where a token is set, the printed link signs the page in, and leaves it nowhere in sight."
        ),
        "LOGS-KEEP-SECRETS": "Tokens and users' words are not in the log.",
        "FIGURES-NAME-NOBODY": (
            "What `/metrics` counts counts once, and names no user, no task and nothing that was said."
        ),
        **SHARED_OUT,
        "FLOODS-ARE-REFUSED": "Whoever sends too fast learns how long to wait, and others do not notice.",
        "PLAIN-REFUSAL-TO-START": "A server that cannot start says why in a sentence that names the setting.",
        "MISTYPED-SETTING-IS-NAMED": (
            "A `DETOUR_` variable or a flag that is no setting ends the start, with the setting most like it."
        ),
        "EVERY-SETTING-IS-A-FLAG": (
            "Each setting is a flag of `detour serve`, which counts before the environment and `.env`."
        ),
        "DOCUMENTED-WITH-EXAMPLES": (
            "The OpenAPI document lists every call with every status it answers, and an example of each."
        ),
        "FRAMES-ARE-PUBLISHED": (
            "The AsyncAPI and the OpenAPI document describe every frame of both sides, field by field."
        ),
        "PYTHON-CLIENT": (
            "The Python client misses no event, sends a message once, and imports nothing of the server."
        ),
        "JAVASCRIPT-CLIENT": (
            "The JavaScript client misses no event and takes none twice, over breaks, gaps and spoiled lines."
        ),
        "REACT-HOOK": "A page with the React hook streams, stops, answers, and reconnects.",
        "CLIENTS-STEER": (
            "Each of our clients steers, tells each message's fate, and has the reply of its run."
        ),
        "CLIENT-TYPES-ARE-THE-SERVERS": (
            "The types of the Python and JavaScript clients are written from the server's documents."
        ),
        "PATHS-HAVE-A-VERSION": "Every path is also there below `/v1`, with the same answers and refusals.",
        **DELIVERED,
    },
    "Seen through": SEEN_THROUGH,
    "The page": {
        "A-MESSAGE-IS-SENT-ONCE": (
            "On the page a message is sent once, whatever is pressed twice or lost by the network."
        ),
        "A-STOP-ON-THE-PAGE-STOPS": (
            "Stop says that it stops, stops once, keeps what was found, and says how far it had come."
        ),
        "CHANGES-KEEP-WHAT-FITS": (
            "Results that a change of mind leaves as they are stay in sight; the others are kept apart."
        ),
        "RESULTS-STAY-WHERE-THEY-ARE": (
            "No result moves under the pointer or the focus; new ones wait until they are asked for."
        ),
        "RULES-AND-MODEL-AGREE-OR-ASK": "What rules and a model read differently is asked for or told.",
        "NOTHING-SAID-IS-LOST-IN-SILENCE": "A wish that nothing is searched by is told before a booking.",
        "CLICKS-SAY-WHAT-THEY-MEAN": (
            "Each control of the page sends a message that changes what was clicked, and nothing else."
        ),
        "THE-PAGE-COMES-BACK": (
            "Whatever breaks between page and server, the page says so, comes back and loses nothing."
        ),
        "QUESTIONS-OUTLIVE-THE-PAGE": (
            "A question survives a reload of the page, half answered too; a newer message withdraws it."
        ),
        "WINDOWS-STAY-EQUAL": (
            "All windows on a trip show the same; what is answered in one is answered in all."
        ),
        "TRIPS-ARE-KEPT-APART": (
            "A browser keeps several trips, by name; what is deleted is forgotten, by the server too."
        ),
        "ERRORS-ARE-IN-WORDS": (
            "An error appears on the page in words, where it happened, with a way to try again."
        ),
        "PROVIDERS-TEXT-IS-TEXT": (
            "On the page no text of a provider is ever markup, a script, or an order to anybody."
        ),
        "GRAPH-PAGE-SHOWS-MARKDOWN": "A graph's page shows Markdown, steps and findings as they come.",
        "GRAPH-PAGE-IS-SAFE": "On a graph's page no text of a model or a tool runs, or loads anything.",
        "TIMES-ARE-THOSE-OF-THE-PLACE": (
            "A flight's times are those of its airports, wherever in the world they are read."
        ),
        "COMPOSED-TEXT-IS-NOT-SENT": (
            "The Enter that ends the composition of a Japanese or Chinese word sends no message."
        ),
        "EVERYBODY-CAN-USE-THE-PAGE": (
            "The page can be used by keyboard alone, on a phone, enlarged, in the dark, without motion."
        ),
    },
    "The other clients": {
        "A-TERMINAL-INTERRUPTS-TOO": (
            "In the terminal client a message, or Ctrl-C, interrupts the task and never the program."
        ),
        "AN-EARLY-YES-ALLOWS-NOTHING": (
            "A line begun in the terminal before a permission was asked for does not allow it."
        ),
        "A-TERMINAL-OBEYS-NOBODY": (
            "No text of a server, a provider or a model reaches the terminal as a control sequence."
        ),
        "STREAMLIT-STOPS-THE-TASK": (
            "The Streamlit client's Stop button stops the server's task, and keeps what was found."
        ),
        "STREAMLIT-LOSES-NOTHING": (
            "After a lost connection the Streamlit client resumes, and sends what was not sent, once."
        ),
        "STREAMLIT-THREADS-END": "The reader thread of a closed page of the Streamlit client ends by itself.",
    },
    "Other people's clients": {
        "FOREIGN-STOP-STOPS": "A stop by any other protocol ends the task and its stream, as no error.",
        "LEAVING-IS-NOT-STOPPING": "A client that leaves stops its run only where it has asked for that.",
        "FOREIGN-FRAMES-REPLAY-ALIKE": "Another protocol's frames replay byte for byte, after a restart too.",
        "A-MESSAGE-KEEPS-ITS-ID": "A message is shown under its client's id; sent again, it starts nothing.",
    },
    "The code": {
        "CORE-KNOWS-NO-TRAVEL": "The core imports nothing of the travel assistant, and serves any graph.",
        "TRAVEL-CAN-BE-TAKEN-AWAY": (
            "Without the travel package the server serves any graph, with the conformance table green."
        ),
        "INSTALLS-AS-DETOUR": (
            "The wheel serves graphs, the travel assistant and the page where there is no checkout."
        ),
        "ONE-COMMAND": (
            "One command serves a graph, checks it, chats with a server and plays the demo, each with a help."
        ),
        "PUBLIC-NAMES-ARE-LISTED": (
            "What a program may import is on one page with its signatures, and examples import nothing else."
        ),
        "ONLY-MAIN-BUILDS": (
            "Only `main` names a concrete backend or reads settings; either is exchanged there."
        ),
        "CANCELLATION-IS-NEVER-SWALLOWED": (
            "No code of the server catches a cancellation, takes one back, or starts a task nobody owns."
        ),
        "PINS-HOLD-HASHES": (
            "The pin files hold names, versions and hashes, so any index installs the same files, or none."
        ),
    },
}
"""An id is in capitals with hyphens; its promise is a sentence that a user or operator could check."""
