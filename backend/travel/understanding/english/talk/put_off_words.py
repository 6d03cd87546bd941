"""The words by which an answer is put off, in English."""

from ..language.text import phrases, word_set

SUBJECTS = word_set(
    """
    i we i'll we'll ill id i'd we'd i've we've im i'm we're ive let me us need needs want have got gotta
    must should will would like can could am are gonna wanna going to first just quickly still better
    think might may maybe actually probably had really please pls only the you hopefully definitely
    rather wait shall
    """
)
"""Before the verb of a remark: "I think we would still need to"."""

CONSULTS = phrases(
    "check with", "checking with", "check that with", "check this with", "check it with", "check in with",
    "double check with", "double-check with", "talk to", "talk with", "talk it over with", "talking to",
    "talk about it with", "talk about this with", "talk it through with", "speak to", "speak with",
    "discuss it with", "discuss this with", "discuss that with", "discuss with", "discussing with",
    "discussing it with", "discuss the price with", "consult", "consult with", "run it by", "run this by",
    "run that by", "run it past", "run this past", "clear it with", "clear this with", "confirm with",
    "confirm it with", "confirm this with", "confirm that with", "verify with", "agree it with",
    "agree with", "coordinate with", "align with", "see with", "show it to", "show this to", "show that to",
    "send it to", "wait for", "waiting for", "waiting on", "hear from", "get approval from",
    "think about it with", "think about this with", "think it over with", "think it through with",
    "think this over with", "decide with", "decide it with", "decide together with", "go over it with",
    "look at it with", "chat with", "chat to", "have a word with", "have a chat with", "sort it out with",
    "get the ok from", "get an ok from", "approval from", "ask", "asking", "see what", "hear what",
    "know what",
)  # fmt: skip
WHOSE = word_set("my our the a her his their")
PEOPLE = word_set(
    """
    wife husband spouse partner boss manager boyfriend girlfriend fiance fiancee mum mom mother dad father
    parents brother sister son daughter kids children family friend friends colleague colleagues team
    company office bank assistant secretary mate mates flatmate roommate cousin aunt uncle grandma grandpa
    travel supervisor employer accountant accounting finance hr client customer missus hubby wifey bf gf
    better other group others doctor approval answer reply ok okay go lawyer school teacher
    boys girls lads guys gang crew
    """
)
SOMEBODY = word_set(
    "her him them someone somebody everyone everybody people home hq accounting finance hr legal"
)

DECIDES = phrases(
    "decide", "decide on it", "decide on that", "decide about it", "make up my mind", "make my mind up",
    "let you know", "tell you", "get back to you", "get back to this", "get back on this",
    "come back to you", "come back to this", "come back to it", "give you an answer", "give you my answer",
    "answer", "answer you", "answer that", "answer this", "reply", "respond", "say", "think",
    "think about it", "think about that", "think about this", "think it over", "think it through",
    "think on it", "sleep on it", "sleep over it", "consider it", "mull it over", "see", "look at it",
    "look at this", "look into it", "be back", "know", "know more", "know for sure",
)  # fmt: skip
DECIDED_AT_ANY_TIME = phrases(
    "decide", "let you know", "get back to you", "get back to this", "come back to you",
    "come back to this", "come back to it", "think about it", "think about that", "think about this",
    "think it over", "mull it over", "think it through", "sleep on it", "sleep over it", "consider it",
    "make up my mind",
)  # fmt: skip
"""These put it off without a time as well: "I'll get back to you"."""

DOES = phrases(
    *(f"{verb} {what}" for verb in ("do", "book", "cancel", "confirm", "reserve", "take", "pay", "buy",
                                    "hold")
      for what in ("it", "that", "this")),
    "confirm", "pay",
)  # fmt: skip
"""What was asked about; at another time it is put off."""

ASK_ME = phrases(
    *(f"{verb} me{again}" for verb in ("ask", "remind", "ping", "nudge", "text", "write", "email", "call",
                                      "message", "poke") for again in ("", " again", " about it", " of it",
                                                                      " about this", " about that")),
    "try me", "check back", "check in", "follow up", "get back to me", "come back to me",
)  # fmt: skip
LATER = phrases(
    "later", "later on", "later today", "later tonight", "a bit later", "a little later", "much later",
    "tonight", "tomorrow", "tomorrow morning", "tomorrow evening", "tomorrow afternoon", "tomorrow night",
    "tomorrow then", "the day after", "the day after tomorrow", "soon", "shortly", "asap", "today",
    "this evening", "this afternoon", "this week", "this weekend", "next week", "next month",
    "in the morning", "in the evening", "in the afternoon", "at night", "another time", "another day",
    "some other time", "some time", "sometime", "one day", "first", "again", "after lunch", "after dinner",
    "after work", "after the meeting", "after my meeting", "after class", "after breakfast", "when i'm home",
    "when i am home", "when i get home", "when i'm back", "when i am back", "once i'm home", "once i know",
    "when i know", "when i know more", "once i know more", "when i can", "eventually", "not now", "then",
    "in time", "by then", "at home", "when she's back", "when he's back", "at the weekend",
    "on the weekend", "over the weekend", "in a few", "over lunch", "over dinner",
    *(f"{led}{day}{part}".strip() for led in ("", "on ", "by ", "next ", "until ", "till ", "this ")
      for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue",
                  "wed", "thu", "fri", "sat", "sun", "tomorrow", "tonight", "the weekend")
      for part in ("", " morning", " evening", " afternoon", " night")),
    *(f"in {count} {unit}" for count in ("a", "an", "one", "two", "a few", "a couple of", "few", "some", "2",
                                        "3", "5", "10", "15", "20", "30", "half an")
      for unit in ("sec", "second", "seconds", "min", "mins", "minute", "minutes", "bit", "while", "moment",
                   "hour", "hours", "day", "days", "week", "weeks")),
)  # fmt: skip
NOW_IS_NO_TIME = phrases(
    "brb", "bbl", "bbs", "afk", "be right back", "i'll be right back", "back soon", "back in a sec",
    "back in a bit", "back in a minute", "be back soon", "i'll be back", "i'm thinking", "still thinking",
    "i'm still thinking", "thinking", "not sure", "not sure yet", "i'm not sure", "i'm not sure yet",
    "i don't know", "i don't know yet", "don't know yet", "can't decide", "cannot decide", "i can't decide",
    "i cannot decide", "undecided", "i'm undecided", "later", "maybe later", "perhaps later",
    "some other time", "not my decision", "it's not my decision", "it isn't my decision", "not my call",
    "it's not my call", "not only my decision", "it's not only my decision", "let me think", "let me see",
    "let me check", "give me a minute", "give me a second", "give me a moment", "give me a sec",
    "give me time", "wait", "give me some time", "one moment", "one second", "one sec", "one minute",
    "just a moment", "just a second", "just a sec", "just a minute", "a moment", "hold on", "hang on",
    "hmm", "hm", "no rush", "in a meeting", "i'm in a meeting", "on the phone", "i'm on the phone",
    "i'm at work", "i'm busy", "busy right now", "busy now", "need more time", "i need more time",
    "i need time", "need time to think", "i need time to think", "i need to think", "need to think",
    "dinner first", "lunch first", "maybe tomorrow", "perhaps tomorrow", "maybe tonight", "not just yet",
    "not quite yet", "not ready", "not ready yet", "i'm not ready", "i'm not ready yet",
    "we're not ready yet", "we're not sure", "we're still thinking", "still deciding",
    "we're still deciding", "i'm still deciding", "take it or leave it", "hold that thought",
    "give me till tomorrow", "give me until tomorrow", "give me a day", "give me a day or two",
    "give me an hour", "give me a few hours", "in meeting", "i'm in meeting", "i am in a meeting",
    "i am in meeting",
)  # fmt: skip
NAMES = phrases(
    *(f"{led} {whose} name" for led in ("under", "in", "on", "with", "by") for whose in
      ("the", "my", "her", "his", "our", "another", "a different", "the company's", "my wife's",
       "my husband's", "my boss's", "my mother's", "my father's", "my partner's", "my son's",
       "my daughter's")),
    "my name is", "the name is", "the name's", "my name's", "her name is", "his name is", "name is",
    "the passenger is", "the traveller is", "the traveler is", "the guest is", "passenger name",
    "the passenger's name is", "the guest's name is", "under mr", "under mrs", "under ms",
)  # fmt: skip
PUTS = phrases("put it", "put that", "put the booking", "make it", "issue it", "book", "reserve")
PAPERS = word_set("receipt receipts invoice invoices confirmation confirmations bill voucher vouchers")
SENDS = phrases("send", "email", "e-mail", "mail", "forward", "need a", "need an", "want a", "want an")
COURTESY = word_set(
    """
    ok okay yes yeah yep sure no nope hmm hm oh well thanks thank you thx ty please pls sorry and but so
    then great perfect good nice cool fine right actually maybe perhaps probably honestly ! . , : - ) ( hi
    hey ah um uh cheers just now first very gracias merci danke grazie obrigado obrigada
    """
)
WISHES = word_set(
    """
    make change find search show look instead rather cheaper another other stop cancel nonstop without
    class business economy which what where how why
    """
)
"""A remark with one of these, behind what makes it one, may be a wish as well."""
