"""What is known of a language that no reader reads: a row of the tables."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language, by its `tag` of ISO 639-1.

    `words` tell it by themselves: no word of English, no name of a place or a hotel. `small` ones tell it
    only beside these; both are folded. A message that consists of `stops` stops, of `allows` allows, of
    `denies` denies, each but for `courtesy`. To any other it gets the `reply` that only English is read, that
    nothing has changed, and how to stop. Words are parted by spaces, phrases by commas.
    """

    tag: str
    reply: str
    stops: str
    allows: str
    denies: str
    courtesy: str
    words: str = ""
    small: str = ""
