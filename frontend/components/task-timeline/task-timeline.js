/** How the opened task goes or went: its figures, its parts as bars, its receipt, its events. */

import { Component } from "../../lib/component.js";
import { element, keepChildren, setText } from "../../lib/dom.js";
import {
  bars,
  between,
  hasEnded,
  instant,
  keptWords,
  lasted,
  partWords,
  statusWords,
  tokens,
} from "../../lib/operating.js";

/**
 * @typedef {import("../../lib/operating.js").State} State
 * @typedef {import("../../lib/operating.js").Timeline} Timeline
 * @typedef {import("../../lib/operating.js").Receipt} Receipt
 */

const KINDS = { agent: "Agent", tool_call: "Tool", model_step: "Model", question: "Asked" };

/** @extends {Component<State>} */
class TaskTimeline extends Component {
  #title = element("h2", { tabIndex: -1 });
  #close = element("button", { type: "button", className: "plain" }, "Close");
  #stop = element("button", { type: "button", className: "stop" }, "Stop…");
  #hint = element("p", { className: "quiet hint" });
  #facts = element("dl", { className: "facts" });
  #parts = element("ol", { className: "parts" });
  #receiptLine = element("summary");
  #receiptFacts = element("dl", { className: "facts" });
  #receiptCalls = element("ul", { className: "calls" });
  #receipt = element("details", { className: "receipt" });
  #eventsLine = element("summary");
  #events = element("ol", { className: "events" });
  #log = element("details");
  #inside = element("div", { className: "inside" });

  /** @override */
  build() {
    this.#close.addEventListener("click", () => this.#tell("close"));
    this.#stop.addEventListener("click", () => this.#tell("stop"));
    this.#receipt.append(this.#receiptLine, this.#receiptFacts, this.#receiptCalls);
    this.#log.append(this.#eventsLine, this.#events);
    const head = element("div", { className: "head" }, this.#title, this.#stop, this.#close);
    this.#inside.append(this.#facts, element("h3", {}, "Where the time went"), this.#parts, this.#receipt, this.#log);
    this.append(head, this.#hint, this.#inside);
  }

  /** @param {"close" | "stop"} want */
  #tell(want) {
    const opened = this.data?.opened;
    this.dispatchEvent(new CustomEvent("operate", { bubbles: true, detail: { want, opened } }));
  }

  /** @override @param {State} state */
  update({ opened, timeline, unknown, running, stopping }) {
    this.#close.hidden = !opened;
    this.#stop.hidden = !timeline || hasEnded(timeline);
    this.#stop.disabled = opened !== null && stopping.includes(opened.taskId);
    this.#inside.hidden = !timeline;
    setText(this.#title, opened ? `Task of ${opened.userId}` : "No task is open");
    const waits = opened ? "Loading…" : "Open a task from the list to see its progress.";
    setText(this.#hint, unknown || (timeline ? "" : waits));
    if (timeline) this.#show(timeline, timeline.ended_at ?? running?.at ?? timeline.accepted_at);
  }

  /**
   * @param {Timeline} timeline
   * @param {string} now
   */
  #show(timeline, now) {
    const { accepted_at, usage, attempt, graph, task_id, events, complete } = timeline;
    this.dataset.status = timeline.status;
    const all = [
      ["Status", statusWords(timeline)],
      ["Took", lasted(between(accepted_at, now))],
      ["Accepted", instant(accepted_at)],
      ["Models", usage?.model_calls ? `${tokens(usage)} in ${usage.model_calls} calls` : usage ? "not asked" : "not known here"],
      ["Attempt", attempt > 1 ? String(attempt) : ""],
      ["Graph", graph ?? ""],
      ["Task", task_id],
    ];
    facts(this.#facts, all);
    this.#showParts(timeline, now);
    this.#showReceipt(timeline);
    setText(this.#eventsLine, `Events (${events.length}${complete ? "" : ", not all"})`);
    keepChildren(this.#events, events, {
      key: ({ seq }) => seq,
      create: ({ at, type }) => {
        const after = element("span", { className: "after" }, `+${lasted(between(accepted_at, at))}`);
        return element("li", {}, after, element("span", {}, type.replaceAll("_", " ")), element("span", { className: "quiet" }));
      },
      update: (line, { about, state, count }) => {
        const words = [about, state].filter(Boolean).join(": ") + (count > 1 ? ` × ${count}` : "");
        setText(/** @type {Element} */ (line.lastElementChild), words);
      },
    });
  }

  /**
   * @param {Timeline} timeline
   * @param {string} now
   */
  #showParts(timeline, now) {
    keepChildren(this.#parts, bars(timeline, now), {
      key: ({ part }) => part.part_id,
      create: ({ part }) => {
        const name = element("span", { className: "name" }, element("span", { className: "quiet" }, `${KINDS[part.kind]} `), part.name);
        const bar = element("span", { className: "bar" }, element("i"));
        const line = element("li", {}, name, element("span", { className: "quiet words" }), element("span", { className: "took" }), bar);
        bar.setAttribute("aria-hidden", "true");
        line.dataset.kind = part.kind;
        return line;
      },
      update: (line, { part, left, width, ms }) => {
        line.dataset.state = part.state;
        line.style.setProperty("--left", left.toFixed(4));
        line.style.setProperty("--width", width.toFixed(4));
        setText(/** @type {Element} */ (line.querySelector(".words")), partWords(part));
        setText(/** @type {Element} */ (line.querySelector(".took")), ms === null ? "" : lasted(ms));
      },
    });
  }

  /** @param {Timeline} timeline */
  #showReceipt({ receipt, accepted_at }) {
    this.#receipt.hidden = receipt === null;
    if (receipt === null) return;
    setText(this.#receiptLine, "Receipt");
    facts(this.#receiptFacts, [
      ["Ended", receipt.reason ? `interrupted: ${receipt.reason.replaceAll("_", " ")}` : "by itself"],
      ["Settled", `after ${lasted(between(accepted_at, receipt.settled_at))}`],
      ["Kept", keptWords(receipt)],
      ["Adopted by", receipt.adopted_by ?? ""],
      ["Amended", receipt.amendments ? `${receipt.amendments} times` : ""],
    ]);
    keepChildren(this.#receiptCalls, receipt.tool_calls, {
      key: ({ call_id }) => call_id,
      create: ({ tool, effect }) => element("li", {}, element("span", {}, tool), element("span", { className: "quiet" }, effect), element("span")),
      update: (line, { outcome }) => setText(/** @type {Element} */ (line.lastElementChild), outcome.replaceAll("_", " ")),
    });
  }
}

/**
 * @param {Element} list
 * @param {string[][]} all titles and what stands under them; what has nothing is left out
 */
function facts(list, all) {
  keepChildren(list, all.filter(([, words]) => words), {
    key: ([title]) => title ?? "",
    create: ([title]) => element("div", {}, element("dt", {}, title ?? ""), element("dd")),
    update: (fact, [, words]) => setText(/** @type {Element} */ (fact.lastElementChild), words ?? ""),
  });
}

customElements.define("task-timeline", TaskTimeline);
