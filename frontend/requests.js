/** A question or a permission that a task waits for, as a small form. `answer(body)` sends what was chosen. */

import { element } from "./elements.js";

export function requestForm(request, answer) {
  return request.kind === "permission" ? permissionForm(request, answer) : questionForm(request, answer);
}

function permissionForm({ request_id, prompt }, answer) {
  const decide = (decision) => () => answer({ request_id, decision });
  return element(
    "div",
    { className: "request" },
    element("p", {}, prompt),
    element(
      "div",
      { className: "row" },
      element("button", { type: "button", onclick: decide("deny") }, "Don’t"),
      element("button", { type: "button", className: "primary", onclick: decide("allow") }, "Allow"),
    ),
  );
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
