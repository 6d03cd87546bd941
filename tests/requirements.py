"""What the project promises, each with a name that the tests which prove it carry.

A test says `@pytest.mark.requirement("ID")` for each promise it helps to keep. `test_requirements.py`
enforces both ways: no promise without a test, no test for a promise that is not made here.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One promise: `id` is in capitals with hyphens, `promise` a sentence a user or operator could check."""

    id: str
    promise: str


REQUIREMENTS = [
    Requirement(
        id="CORE-KNOWS-NO-TRAVEL",
        promise="The interruption core knows nothing about travel, so any graph can stand behind it.",
    ),
    Requirement(
        id="ONLY-MAIN-BUILDS",
        promise="Only `main` names a concrete backend or reads settings; either is exchanged there.",
    ),
    Requirement(
        id="CANCELLATION-IS-NEVER-SWALLOWED",
        promise="No code of the server catches a cancellation, takes one back, or starts a task nobody owns.",
    ),
    Requirement(
        id="PINS-NAME-VERSIONS-ONLY",
        promise="The pin files hold names and versions only, and install the same from any index.",
    ),
    Requirement(
        id="CONTAINER-IS-LOCAL",
        promise="The container published by docker compose can be reached from this machine only.",
    ),
    Requirement(
        id="TERMINAL-IS-FINAL",
        promise="A task that has completed, failed or been interrupted changes no more, whoever writes.",
    ),
    Requirement(
        id="NUMBERS-HAVE-NO-HOLES",
        promise="A user's events are numbered one after the other; none is ever skipped or used twice.",
    ),
    Requirement(
        id="ACCEPTED-IS-DURABLE",
        promise="What was accepted survives a kill of the process at any moment, as does every number seen.",
    ),
    Requirement(
        id="FULL-DISK-ACCEPTS-NOTHING",
        promise="On a full disk what comes is refused, nothing is kept by halves, and room is all it takes.",
    ),
    Requirement(
        id="FOLLOWING-MISSES-NOTHING",
        promise="Whoever follows a user's events gets each once and in order, or is told to begin again.",
    ),
    Requirement(
        id="ONE-ACTIVE-TASK",
        promise="A user has one active task, however many messages arrive at the same instant.",
    ),
    Requirement(
        id="RETRIES-START-NOTHING",
        promise="A message sent again with its client id gets the first answer and starts nothing.",
    ),
    Requirement(
        id="NEWEST-MESSAGE-WINS",
        promise="Of a user's messages the newest is answered; what it interrupts ends with its true reason.",
    ),
    Requirement(
        id="FOUND-IS-KEPT",
        promise="What an interrupted task had found is kept, and counted alike wherever it is told.",
    ),
    Requirement(
        id="NOTHING-AFTER-THE-INTERRUPTION",
        promise="From the instant of its interruption a task publishes nothing more, however badly it ends.",
    ),
    Requirement(
        id="FINDINGS-ARE-HANDED-ON",
        promise="After an interruption the next task gets what was found, over those that found nothing.",
    ),
    Requirement(
        id="CARRYOVER-IS-TRUE",
        promise="Findings that still answer the new request are told as carried over, all others as dropped.",
    ),
    Requirement(
        id="RESULTS-ARE-BOUNDED",
        promise="A task that shows more than a task may fails with a sentence; what it showed is kept.",
    ),
    Requirement(
        id="REFUSED-CHANGES-NOTHING",
        promise="A message that is refused leaves everything as it was; the task at work goes on.",
    ),
    Requirement(
        id="STOP-IS-IDEMPOTENT",
        promise="Stopping answers with the receipt, and says the same however often it is repeated.",
    ),
    Requirement(
        id="DELETE-FORGETS",
        promise="A deleted user is forgotten whole; one of that name begins anew.",
    ),
    Requirement(
        id="FLOODS-ARE-REFUSED",
        promise="Whoever sends too fast is told how long to wait, and others do not notice.",
    ),
    Requirement(
        id="A-503-ACCEPTED-NOTHING",
        promise="What was answered with a 503 was not accepted: it may be sent again and is not there twice.",
    ),
    Requirement(
        id="DOCUMENTED-WITH-EXAMPLES",
        promise="The OpenAPI document lists every call with every status it answers, and an example of each.",
    ),
    Requirement(
        id="EVENTS-TELL-EVERYTHING",
        promise="A snapshot and the events after it tell all that the calls which look things up tell.",
    ),
    Requirement(
        id="REPLAY-WITHOUT-HOLES",
        promise="Who comes back with a position gets every event after it once, in order, or a plain reset.",
    ),
    Requirement(
        id="A-SOCKET-IS-NEVER-A-STOP",
        promise="Closing a socket or a page, in whatever way, never stops a task.",
    ),
    Requirement(
        id="A-SLOW-READER-SLOWS-NOBODY",
        promise="A client that does not read is let go, and nobody else waits for it or misses anything.",
    ),
    Requirement(
        id="SHUTDOWN-LEAVES-NOTHING-RUNNING",
        promise="As a server goes down a message is refused, or its task settled and taken up at the start.",
    ),
    Requirement(
        id="LOST-IS-TAKEN-UP",
        promise="A message whose task was lost with its process is taken up again, with what had been found.",
    ),
    Requirement(
        id="WAITING-KEEPS-ITS-ORDER",
        promise="Messages that wait start by priority, then in the order they came, over restarts as well.",
    ),
    Requirement(
        id="STOP-IS-TRUE",
        promise="A stop ends what it names, asides and waiting tasks included, and the receipt says so.",
    ),
    Requirement(
        id="CHANGING-ONES-MIND",
        promise="A newer message ends the task at work; what it had found is kept and told truthfully.",
    ),
    Requirement(
        id="A-KILL-LOSES-NOTHING",
        promise="A kill at any instant loses no accepted message and no event that a client has seen.",
    ),
    Requirement(
        id="SHUTDOWN-IN-GOOD-ORDER",
        promise="A server told to end settles its tasks, closes with 1012, and goes on at the next start.",
    ),
    Requirement(
        id="A-TOKEN-IS-ASKED-EVERYWHERE",
        promise="With a token set, every call and socket but the pages, liveness and signing in needs it.",
    ),
    Requirement(
        id="FIGURES-NAME-NOBODY",
        promise="What `/metrics` counts counts once, and names no user, no task and nothing that was said.",
    ),
    Requirement(
        id="PLAIN-REFUSAL-TO-START",
        promise="A server that cannot start says why in a sentence that names the setting.",
    ),
    Requirement(
        id="A-FULL-DISK-IS-SURVIVED",
        promise="On a full disk messages are refused, not lost, and all goes on once there is room.",
    ),
    Requirement(
        id="ALL-HOLDS-IN-ANY-ORDER",
        promise="Whatever happens in whatever order, all promises hold: what is told agrees with the events.",
    ),
    Requirement(
        id="ANSWERED-ONCE",
        promise="Of several answers to a question, or an answer and what withdraws it, exactly one counts.",
    ),
    Requirement(
        id="QUESTIONS-SURVIVE",
        promise="An open question is still there after a kill or a restart, and its task goes on from there.",
    ),
    Requirement(
        id="NO-MESSAGE-IS-SWALLOWED",
        promise="A message while a question is open answers it, leaves it open, or withdraws it visibly.",
    ),
    Requirement(
        id="ASKING-HOLDS-UP-NOTHING",
        promise="While a task waits for its user the other agents work on; then nothing of it runs.",
    ),
    Requirement(
        id="QUESTIONS-EXPIRE",
        promise="A question that nobody answers in time expires; its task ends, and what it found is kept.",
    ),
    Requirement(
        id="EVERY-PHASE-EVERY-EVENT",
        promise="Whatever interrupts a task in whatever phase, it comes to what the conformance table says.",
    ),
    Requirement(
        id="TOOLS-OF-ANY-GRAPH",
        promise="The nodes of a hosted graph may use tools of every kind that the ledger accounts for.",
    ),
    Requirement(
        id="BOOKED-AT-MOST-ONCE",
        promise="However often a booking is sent, and wherever it is cut, there are never two of it.",
    ),
    Requirement(
        id="THE-LAST-SEAT-ONCE",
        promise="However many buy at the same instant, no seat and no room is sold twice.",
    ),
    Requirement(
        id="A-KILLED-BOOKING-IS-WHOLE",
        promise="A booking that a kill cuts short is there whole or not at all, and can be asked after.",
    ),
    Requirement(
        id="BOOKINGS-ARE-ONES-OWN",
        promise="Nobody reaches a booking of somebody else, nor learns that there is one.",
    ),
    Requirement(
        id="A-PAYMENT-CAN-FAIL",
        promise="A demo order above 5,000 EUR is declined with a sentence, and nothing of it is booked.",
    ),
    Requirement(
        id="ADOPTION-IS-EXACT",
        promise="A search is taken over only by a request of the same user for exactly the same.",
    ),
    Requirement(
        id="AGENTS-STOP-ALONE",
        promise="One agent can be stopped: what it found is kept, the others go on, and what is told is so.",
    ),
    Requirement(
        id="SEARCHES-GO-ON",
        promise="A search that the next message still asks for goes on there, or is told again if over.",
    ),
    Requirement(
        id="A-STOP-HANDS-ON-NOTHING",
        promise="A stop ends every search at once; none of them is taken over by a later message.",
    ),
    Requirement(
        id="A-BEST-SO-FAR",
        promise="A tour has a best plan soon after its search begins, and keeps it when that is cut short.",
    ),
    Requirement(
        id="THE-CHEAPEST-IS-PROVEN",
        promise="A tour that is told to be the cheapest is: no other order, day or stay costs less.",
    ),
    Requirement(
        id="NO-PROCESS-IS-LEFT",
        promise="A program that a tool runs ends with its call, and with the server, whatever it does.",
    ),
    Requirement(
        id="THREADS-ARE-LET-GO",
        promise="A function in a thread that ignores its end blocks no later call and no end of the server.",
    ),
    Requirement(
        id="CALLS-ARE-BOUNDED",
        promise="A user with many searches at work waits for his own to end, and holds up nobody else.",
    ),
    Requirement(
        id="WRITES-ARE-ALLOWED",
        promise="Nothing is changed outside unless its user has allowed just this, as quoted, and in time.",
    ),
    Requirement(
        id="BEGUN-IS-FINISHED",
        promise="A write that has begun finishes, whatever interrupts its task; any other never begins.",
    ),
    Requirement(
        id="WRITES-TAKE-TURNS",
        promise="Writes of one user run one at a time; those of others do not wait for them.",
    ),
    Requirement(
        id="WRITES-ARE-NEVER-SENT-AGAIN",
        promise="A write without an answer is asked after, by the next process too, before it is sent again.",
    ),
    Requirement(
        id="RECEIPTS-ARE-AMENDED",
        promise="What becomes of a call after its task has ended is told by amending the task's receipt.",
    ),
    Requirement(
        id="MODEL-HISTORY-IS-VALID",
        promise="What a model is told is valid for every service at every instant: each call has one result.",
    ),
    Requirement(
        id="MODEL-STREAMS-ARE-CLOSED",
        promise="An interruption closes the model's stream at once; what the user saw of its text is kept.",
    ),
    Requirement(
        id="MODELS-ARE-NOT-TRUSTED",
        promise="What a schema refuses is never executed; text from providers is data, and never a grant.",
    ),
    Requirement(
        id="RULES-STAND-IN-FOR-MODELS",
        promise="Where a model fails or takes too long, the rules go on, and nothing is said twice.",
    ),
    Requirement(
        id="USAGE-IS-TOLD",
        promise="Every ending tells what models have used: estimated, and told so, where a stream was cut.",
    ),
    Requirement(
        id="A-TERMINAL-INTERRUPTS-TOO",
        promise="In the terminal client a message, or Ctrl-C, interrupts the task and never the program.",
    ),
    Requirement(
        id="A-TERMINAL-OBEYS-NOBODY",
        promise="No text of a server, a provider or a model reaches the terminal as a control sequence.",
    ),
    Requirement(
        id="FARES-ARE-WHAT-A-SEARCH-FINDS",
        promise="The price of a day is that of the cheapest offer which a search for that day would find.",
    ),
    Requirement(
        id="A-MESSAGE-IS-SENT-ONCE",
        promise="On the page a message is sent once, whatever is pressed twice or lost by the network.",
    ),
    Requirement(
        id="COMPOSED-TEXT-IS-NOT-SENT",
        promise="The Enter that ends the composition of a Japanese or Chinese word sends no message.",
    ),
    Requirement(
        id="WINDOWS-STAY-EQUAL",
        promise="All windows on a trip show the same; what is answered in one is answered in all.",
    ),
    Requirement(
        id="RESULTS-STAY-WHERE-THEY-ARE",
        promise="No result moves under the pointer or the focus; new ones wait until they are asked for.",
    ),
    Requirement(
        id="TIMES-ARE-THOSE-OF-THE-PLACE",
        promise="A flight's times are those of its airports, wherever in the world they are read.",
    ),
    Requirement(
        id="PROVIDERS-TEXT-IS-TEXT",
        promise="On the page no text of a provider is ever markup, a script, or an order to anybody.",
    ),
    Requirement(
        id="ERRORS-ARE-IN-WORDS",
        promise="What goes wrong is told on the page in words, where it went wrong, with a way to try again.",
    ),
    Requirement(
        id="CHANGES-KEEP-WHAT-FITS",
        promise="Results that a change of mind leaves as they are stay in sight; the others are kept apart.",
    ),
    Requirement(
        id="A-STOP-ON-THE-PAGE-STOPS",
        promise="Stop says that it stops, stops once, keeps what was found, and says how far it had come.",
    ),
    Requirement(
        id="STREAMLIT-STOPS-THE-TASK",
        promise="The Streamlit client's Stop button stops the server's task, and keeps what was found.",
    ),
    Requirement(
        id="STREAMLIT-LOSES-NOTHING",
        promise="After a lost connection the Streamlit client goes on, and sends what was not sent, once.",
    ),
    Requirement(
        id="STREAMLIT-THREADS-END",
        promise="The reader thread of a closed page of the Streamlit client ends by itself.",
    ),
    Requirement(
        id="QUESTIONS-OUTLIVE-THE-PAGE",
        promise="A question survives a reload of the page, half answered too; a newer message withdraws it.",
    ),
    Requirement(
        id="THE-PAGE-COMES-BACK",
        promise="Whatever breaks between page and server, the page says so, comes back and loses nothing.",
    ),
    Requirement(
        id="TRIPS-ARE-KEPT-APART",
        promise="A browser keeps several trips, by name; what is deleted is forgotten, by the server too.",
    ),
    Requirement(
        id="EVERYBODY-CAN-USE-THE-PAGE",
        promise="The page can be used by keyboard alone, on a phone, enlarged, in the dark, without motion.",
    ),
    Requirement(
        id="A-TOKEN-IS-ASKED-OF-THE-PAGE",
        promise="Where a token is set, the printed link signs the page in, and leaves it nowhere in sight.",
    ),
    Requirement(
        id="TRAVEL-CAN-BE-TAKEN-AWAY",
        promise="Without the travel package the server serves any graph, with the conformance table green.",
    ),
    Requirement(
        id="INSTALLS-AS-DETOUR",
        promise="The wheel serves graphs, the travel assistant and the page where there is no checkout.",
    ),
]
