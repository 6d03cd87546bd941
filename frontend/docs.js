/** The OpenAPI document as a page to read and to try the calls on; nothing is loaded from elsewhere. */

import "./components/session-tools/session-tools.js";
import { element } from "./lib/dom.js";
import { dropSession, leaveSession, offerSessions } from "./lib/sign-in.js";

/**
 * A part of the OpenAPI document. It is the server's own, of a form that its tests hold it to.
 *
 * @typedef {Object<string, any>} Spec
 */

const METHODS = ["get", "post", "put", "patch", "delete"];
const JSON_TYPE = "application/json";
/** @type {Map<string, unknown>} */
const EMPTY = new Map(Object.entries({ string: "", integer: 0, number: 0, boolean: false }));

/** @type {Spec} */
let root = {};

/**
 * Follow a `$ref` inside the document.
 *
 * @param {Spec | undefined} node
 * @returns {Spec | undefined}
 */
function resolved(node) {
  if (!node?.$ref) return node;
  return node.$ref.slice(2).split("/").reduce((/** @type {any} */ place, /** @type {string} */ step) => place?.[step], root);
}

/**
 * A value that fits a schema: its own example where it has one.
 *
 * @param {Spec | undefined} schema
 * @returns {unknown}
 */
function example(schema, depth = 0) {
  const known = resolved(schema);
  if (!known || depth > 6) return null;
  if (known.examples?.length) return known.examples[0];
  if (known.example !== undefined) return known.example;
  if (known.default !== undefined) return known.default;
  if (known.const !== undefined) return known.const;
  if (known.enum) return known.enum[0];
  const choice = (known.anyOf ?? known.oneOf ?? known.allOf)?.[0];
  if (choice) return example(choice, depth + 1);
  if (known.type === "array") return [example(known.items, depth + 1)];
  if (known.type === "object" || known.properties) {
    const entries = Object.entries(known.properties ?? {}).filter(([, inner]) => !leftOut(inner));
    return Object.fromEntries(entries.map(([name, inner]) => [name, example(inner, depth + 1)]));
  }
  return EMPTY.get(known.type) ?? null;
}

/**
 * What may be null and has no example of its own is better not sent than sent empty.
 *
 * @param {Spec} schema
 */
function leftOut(schema) {
  return schema.anyOf?.some((/** @type {Spec} */ choice) => choice.type === "null") && !schema.examples && schema.example === undefined;
}

/** @param {Spec | undefined} content */
function contentExample(content) {
  const media = content?.[JSON_TYPE];
  if (!media) return undefined;
  const given = media.example ?? Object.values(media.examples ?? {})[0]?.value;
  return given ?? example(media.schema);
}

/**
 * What a description says, with code where it has backticks, and lines only where a paragraph ends.
 *
 * @param {string} text
 */
function words(text) {
  const lines = text.replace(/(?<!\n)\n(?!\n)/g, " ");
  return lines.split("`").map((piece, index) => (index % 2 ? element("code", {}, piece) : piece));
}

/**
 * @param {string} title
 * @param {unknown} value
 */
function block(title, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return element("section", {}, element("h3", {}, ...words(title)), element("pre", { tabIndex: 0 }, text));
}

/** @param {Spec | undefined} responses */
function responseBlocks(responses) {
  return Object.entries(responses ?? {}).flatMap(([status, response]) => {
    const { description, content } = resolved(response) ?? {};
    // A call of another protocol, whose answers are not described here.
    if (status === "default") return [];
    const shown = contentExample(content) ?? Object.keys(content ?? {}).join(", ");
    return block(`${status} ${description ?? ""}`, shown);
  });
}

/** @param {Spec} parameter */
function parameterField(parameter) {
  const { name, in: place, required, description, schema } = parameter;
  const hint = [place, required ? "" : "optional", description].filter(Boolean).join(", ");
  const value = place === "path" ? String(example(schema) ?? "") : "";
  const input = element("input", { name, required: Boolean(required), value });
  return element("label", { className: "field" }, ...words(`${name} (${hint})`), input);
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Spec[]} parameters
 * @param {unknown} body
 */
function tryForm(method, path, parameters, body) {
  const answer = element("pre", { hidden: true, tabIndex: 0 });
  const area = element("textarea", { name: "body", spellcheck: false, value: JSON.stringify(body, null, 2) });
  const form = element(
    "form",
    { className: "try" },
    ...parameters.map(parameterField),
    body === undefined ? "" : element("label", { className: "field" }, "Body", area),
    element("button", { type: "submit", className: "primary" }, "Send"),
    answer,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    answer.hidden = false;
    answer.textContent = "…";
    try {
      answer.textContent = await send(method, path, parameters, new FormData(form));
    } catch (error) {
      answer.textContent = /** @type {Error} */ (error).message;
    }
  });
  return form;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Spec[]} parameters
 * @param {FormData} values
 */
async function send(method, path, parameters, values) {
  const query = new URLSearchParams();
  /** @type {Object<string, string>} */
  const headers = {};
  let filled = path;
  for (const { name, in: place } of parameters) {
    const value = String(values.get(name) ?? "");
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "" && place === "query") query.set(name, value);
    else if (value !== "" && place === "header") headers[name] = value;
  }
  const body = String(values.get("body") ?? "");
  if (body) headers["Content-Type"] = JSON_TYPE;
  const url = query.size ? `${filled}?${query}` : filled;
  const response = await fetch(url, { method: method.toUpperCase(), headers, body: body || undefined });
  if (response.status === 401 && !filled.endsWith("/session")) dropSession(); // what was answered before is shown here
  const head = `${response.status} ${response.statusText}`;
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) return firstEvents(head, response);
  const text = await response.text();
  try {
    return `${head}\n\n${JSON.stringify(JSON.parse(text), null, 2)}`;
  } catch {
    return `${head}\n\n${text}`;
  }
}

/**
 * A stream never ends: show what came first, and let go of it.
 *
 * @param {string} head
 * @param {Response} response
 */
async function firstEvents(head, response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return `${head}\n\n${value ?? ""}…`;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Spec} operation
 * @param {Spec[] | undefined} shared
 */
function operationCard(method, path, operation, shared) {
  const parameters = [...(shared ?? []), ...(operation.parameters ?? [])].map((each) => resolved(each) ?? {});
  const body = contentExample(resolved(operation.requestBody)?.content);
  return element(
    "details",
    { className: "operation", id: `${method}${path}` },
    element(
      "summary",
      {},
      element("span", { className: "method" }, method.toUpperCase()),
      element("code", {}, path),
      element("span", { className: "quiet" }, operation.summary ?? ""),
    ),
    element(
      "div",
      { className: "inside" },
      element("p", { className: "description" }, ...words(operation.description ?? "")),
      operation["x-websocket"] ? "" : tryForm(method, path, parameters, body),
      ...responseBlocks(operation.responses),
    ),
  );
}

/** @param {string} id */
function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

async function show() {
  const main = part("operations");
  const about = part("about");
  const response = await fetch("/openapi.json");
  if (!response.ok) {
    about.textContent = "Sign in on the start page first, then come back here.";
    return;
  }
  root = await response.json();
  part("title").textContent = `${root.info.title} ${root.info.version}`;
  about.textContent = root.info.description ?? "";
  /** @type {Map<string, HTMLElement[]>} */
  const groups = new Map((root.tags ?? []).map((/** @type {Spec} */ { name }) => [name, []]));
  for (const [path, item] of Object.entries(root.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const [group = ""] = item[method].tags ?? [];
      groups.set(group, [...(groups.get(group) ?? []), operationCard(method, path, item[method], item.parameters)]);
    }
  }
  const descriptions = new Map((root.tags ?? []).map((/** @type {Spec} */ { name, description }) => [name, description]));
  for (const [group, cards] of groups) {
    const said = descriptions.get(group) ?? "";
    main.append(element("h2", {}, group), element("p", { className: "quiet" }, ...words(said)), ...cards);
  }
  main.ariaBusy = "false";
  const asked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  asked?.setAttribute("open", "");
  await offerSessions();
}

document.addEventListener("signOut", () => leaveSession((text) => (part("about").textContent = text)));

await show();
