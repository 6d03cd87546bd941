"""The words by which an answer is put off, in English."""

from ..language.text import phrases

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
NAMES = phrases(
    *(f"{led} {whose} name" for led in ("under", "in", "on", "with", "by") for whose in
      ("the", "my", "her", "his", "our", "another", "a different", "the company's", "my wife's",
       "my husband's", "my boss's", "my mother's", "my father's", "my partner's", "my son's",
       "my daughter's")),
    "my name is", "the name is", "the name's", "my name's", "her name is", "his name is", "name is",
    "the passenger is", "the traveller is", "the traveler is", "the guest is", "passenger name",
    "the passenger's name is", "the guest's name is", "under mr", "under mrs", "under ms",
)  # fmt: skip
