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
  const choices = ["", ...(field.enum ?? [])];
  const options = choices.map((choice) => element("option", { value: choice }, choice || "–"));
  const control = field.enum
    ? element("select", {}, ...options)
    : element("input", { type: inputType(field) });
  // A box always has a value, and one that must be filled in could only be ticked.
  if (isBox(field)) Object.assign(control, { name, checked: Boolean(value) });
  else Object.assign(control, { name, required: Boolean(required), value: value ?? "" });
  return element("label", { className: "field" }, field.title ?? name.replaceAll("_", " "), control);
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
  if (isBox(field)) return control.checked;
  return field.type === "integer" || field.type === "number" ? Number(control.value) : control.value;
}
