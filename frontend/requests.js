/** A question or a permission that a task waits for, as a small form. `answer(body)` sends what was chosen. */

import { element } from "./elements.js";

export function requestForm(request, answer) {
  return request.kind === "permission" ? permissionForm(request, answer) : questionForm(request, answer);
}

/**
 * What would be done, all of it above the two buttons, so that no long fact hides another one. Both buttons are off
 * from a decision until it is refused.
 */
function permissionForm({ request_id, prompt, facts, expires_at }, answer) {
  const deny = element("button", { type: "button" }, "Deny");
  const allow = element("button", { type: "button", className: "primary" }, "Allow");
  const buttons = [deny, allow];
  const decide = async (decision) => {
    for (const button of buttons) button.disabled = true;
    const taken = await answer({ request_id, decision });
    for (const button of buttons) button.disabled = taken !== false;
  };
  deny.onclick = () => decide("deny");
  allow.onclick = () => decide("allow");
  return element(
    "div",
    { className: "request permission", role: "group", ariaLabel: "Permission" },
    element("p", { dir: "auto" }, prompt),
    element("dl", { className: "facts" }, ...Object.entries(facts ?? {}).flatMap(factRow)),
    element("div", { className: "row" }, ...buttons, element("span", { className: "until" }, until(expires_at))),
  );
}

function factRow([title, value]) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return [element("dt", { dir: "auto" }, title), element("dd", { dir: "auto" }, text)];
}

/** "open until 18:45", in the reader's time. */
function until(time) {
  const at = new Date(time ?? "");
  if (Number.isNaN(at.getTime())) return "";
  return `open until ${at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })}`;
}

function questionForm({ request_id, prompt, schema, defaults }, answer) {
  const fields = Object.entries(schema?.properties ?? {});
  const form = element(
    "form",
    { className: "request" },
    element("p", {}, prompt),
    ...fields.map(([name, field]) => fieldRow(name, field, defaults?.[name], schema.required?.includes(name))),
    element("div", { className: "row" }, element("button", { type: "submit", className: "primary" }, "Answer")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const filled = fields.filter(([name, field]) => isBox(field) || form.elements[name].value !== "");
    const values = filled.map(([name, field]) => [name, typed(form.elements[name], field)]);
    answer({ request_id, answer: Object.fromEntries(values) });
  });
  return form;
}

function fieldRow(name, field, value, required) {
  const choices = choicesOf(field);
  const options = choices.map(([, title], at) => element("option", { value: String(at) }, title));
  const control = choices.length
    ? element("select", {}, element("option", { value: "" }, "–"), ...options)
    : element("input", { type: inputType(field) });
  const chosen = choices.findIndex(([choice]) => choice === value);
  const shown = choices.length && chosen >= 0 ? String(chosen) : choices.length ? "" : (value ?? "");
  // A box always has a value, and one that must be filled in could only be ticked.
  if (isBox(field)) Object.assign(control, { name, checked: Boolean(value) });
  else Object.assign(control, { name, required: Boolean(required), value: shown });
  return element("label", { className: "field" }, field.title ?? name.replaceAll("_", " "), control);
}

/** What may be chosen, as pairs of value and title. */
function choicesOf(field) {
  const told = [...(field.oneOf ?? []), ...(field.anyOf ?? [])].filter((choice) => "const" in choice);
  return [
    ...(field.enum ?? []).map((value) => [value, String(value)]),
    ...told.map((choice) => [choice.const, choice.title ?? String(choice.const)]),
  ];
}

function inputType(field) {
  if (field.format === "date") return "date";
  if (isBox(field)) return "checkbox";
  return field.type === "integer" || field.type === "number" ? "number" : "text";
}

function isBox(field) {
  return field.type === "boolean";
}

function typed(control, field) {
  const choices = choicesOf(field);
  if (choices.length) return choices[Number(control.value)][0];
  if (isBox(field)) return control.checked;
  return field.type === "integer" || field.type === "number" ? Number(control.value) : control.value;
}
