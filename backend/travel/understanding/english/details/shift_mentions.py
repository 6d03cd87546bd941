"""A change told by how much it changes, and where a message tells it."""

from dataclasses import dataclass

from ...message import Shift
from ..language.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftMention(Shift):
    """A change in the tokens from `first` up to `after`."""

    first: int
    after: int

    @property
    def is_of_days(self) -> bool:
        """Whether it moves a day, which the message itself may tell."""
        return self.count == 0 and bool(self.days or self.months or self.month)

    def is_next_of(self, text: Text) -> bool:
        """Whether it is told by "following", which may be the week after this one as well."""
        return any(text.norm(at) == "following" for at in range(self.first, self.after))

    def told(self, text: Text) -> Shift:
        """Return the change in the words of the message."""
        return Shift(
            what=self.what,
            days=self.days,
            months=self.months,
            count=self.count,
            weekday=self.weekday,
            month=self.month,
            is_night=self.is_night,
            is_counted_on=self.is_counted_on,
            is_of_children=self.is_of_children,
            child=self.child,
            said=text.spelled(self.first, self.after),
            also=self.also,
        )
