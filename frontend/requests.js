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
    const filled = fields.filter(([name]) => form.elements[name].value !== "");
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
  Object.assign(control, { name, required: Boolean(required), value: value ?? "" });
  if (field.type === "boolean") control.checked = Boolean(value);
  return element("label", { className: "field" }, field.title ?? name.replaceAll("_", " "), control);
}

function inputType(field) {
  if (field.format === "date") return "date";
  if (field.type === "boolean") return "checkbox";
  return field.type === "integer" || field.type === "number" ? "number" : "text";
}

function typed(control, field) {
  if (field.type === "boolean") return control.checked;
  return field.type === "integer" || field.type === "number" ? Number(control.value) : control.value;
}
