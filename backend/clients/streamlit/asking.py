"""What the task asks its user: a question as a form, a permission with its facts and two buttons.

Drawn outside the part of the page that refreshes itself, so that half an answer survives each refresh; all
keys begin with the request's id, so that no answer of one question shows up in the next.
"""

from datetime import date
from typing import Any

import orjson
import streamlit as st

from ..cli.forms import Field, Form
from ..cli.lines import clean
from ..cli.words import permission_lines
from ..story import Frame
from .conversation import Conversation
from .plain import plain


def draw_request(talk: Conversation, request: Frame, more: int) -> None:
    """Draw a question as a form, or a permission with its facts and two buttons."""
    request_id = request["request_id"]
    if request["kind"] == "permission":
        with st.container(border=True):
            st.text(clean("\n".join(permission_lines(request))))
            allow, deny = st.columns(2)
            for column, label, decision in ((allow, "Allow", "allow"), (deny, "Don't", "deny")):
                column.button(
                    label,
                    key=f"{request_id}:{decision}",
                    on_click=talk.decide,
                    args=(request_id, decision),
                    width="stretch",
                )
    else:
        fields = Form.of(request).fields
        with st.form(f"{request_id}:form"):
            st.text(clean(request["prompt"]))
            for field in fields:
                draw_field(field, key=f"{request_id}:{field.name}")
            st.form_submit_button("Answer", on_click=submit, args=(talk, request_id, fields), type="primary")
    if more:
        st.caption(f"{more} more to answer after this.")


def draw_field(field: Field, *, key: str) -> None:
    """Draw a field with what it begins with; what it is left at is read by its key."""
    label = plain(field.title if field.required else f"{field.title} (may stay open)")
    match field.kind:
        case _ if field.choices or field.kind == "boolean":
            choices = choices_of(field)
            values = [value for value, _ in choices]
            index = values.index(field.default) if field.default in values else None
            titles = [title for _, title in choices]
            st.selectbox(label, range(len(choices)), index=index, format_func=titles.__getitem__, key=key)
        case "date":
            st.date_input(label, value=date.fromisoformat(field.default) if field.default else None, key=key)
        case "integer" | "number":
            number, step = (int, 1) if field.kind == "integer" else (float, 0.01)
            value = None if field.default is None else number(field.default)
            st.number_input(label, value=value, step=step, key=key)
        case "array" | "object":
            value = "" if field.default is None else orjson.dumps(field.default).decode()
            st.text_area(f"{label} (JSON)", value=value, key=key)
        case _:
            st.text_input(label, value=field.default or "", key=key)


def choices_of(field: Field) -> tuple[tuple[Any, str], ...]:
    """Return the values that may be chosen, each with its title; none where it is not chosen."""
    if field.kind == "boolean" and not field.choices:
        return ((True, "Yes"), (False, "No"))
    return field.choices


def submit(talk: Conversation, request_id: str, fields: list[Field]) -> None:
    """Send a form; a field that was left empty is left out, which leaves it at its default."""
    try:
        values = {each.name: value_of(each, st.session_state[f"{request_id}:{each.name}"]) for each in fields}
    except orjson.JSONDecodeError:
        talk.tell("Please give lists and objects as JSON.")
        return
    talk.answer(request_id, {name: value for name, value in values.items() if value not in (None, "")})


def value_of(field: Field, entered: Any) -> Any:
    """Return what a widget holds as the wire has it."""
    if isinstance(entered, date):
        return entered.isoformat()
    if choices := choices_of(field):
        place: int | None = entered
        return None if place is None else choices[place][0]
    return orjson.loads(entered) if field.kind in {"array", "object"} and entered else entered
