"""The words of a message that may ask for something, before any reader looks at them."""

from ..places.gazetteer import load_gazetteer
from ..reader import Background
from .language.text import Text
from .places.goals import without_criterion
from .places.places import with_home_as_goal
from .talk.questions import question_beside
from .talk.remarks import asides


def asked_for(text: Text, background: Background) -> Text:
    """Return the message without what wishes for nothing, and with the home it ends at as its goal.

    Who "lived in Kyoto for 4 years" did not ask for Kyoto, nor "whichever is cheaper" for a cheaper offer.
    """
    aside = asides(text, is_running=bool(background.running and not background.asked))
    whole = without_criterion(text.without(aside | {*question_beside(text)}))
    return whole if background.running else with_home_as_goal(whole, load_gazetteer())
