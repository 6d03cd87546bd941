"""A question with a remark beside it: "is the first one with Lufthansa? He collects their miles"."""

from ..language.tables import words_of
from ..language.text import Text

_WORDS = words_of("found")


def question_beside_a_remark(text: Text) -> str:
    """Return the only question of a message whose other sentences just tell something; "" if it is none.

    What they tell ("I live near Haneda, Narita is far") is no place, day or number of the request.
    """
    if text.norm(text.length - 1) != "?" and "?" not in text.vocabulary:
        return ""
    said = [(first, after) for first, after in text.sentences if after > first]
    asking = [one for one in said if text.norm(one[1]) == "?"]
    others = [one for one in said if one not in asking]
    if len(asking) != 1 or not others or not all(_is_remark(text, *one) for one in others):
        return ""
    first, after = asking[0]
    return text.spelled(first, after + 1)


def _is_remark(text: Text, first: int, after: int) -> bool:
    """Whether a sentence tells of somebody, and wants nothing."""
    begun = next((at for at in range(first, after) if text.norm(at) not in _WORDS.openers), after)
    if begun == after:
        return True
    said = {text.norm(at) for at in range(first, after)}
    has_figures = any(text[at].is_number for at in range(first, after))
    return text.norm(begun) in _WORDS.tellers and said.isdisjoint(_WORDS.wants) and not has_figures
