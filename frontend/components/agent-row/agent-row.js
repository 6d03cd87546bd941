/**
 * One agent: what it does, how far it is and for how long, with a button to stop it, or to try again what failed.
 * In the folded bar it is a short word under its name, and says all of it once the bar is unfolded.
 *
 * The seconds tick in place and are not announced; whoever listens is told of the state by the page's announcer.
 */

import {
  agentName,
  doingInWords,
  doingOf,
  elapsedOf,
  isOver,
  progressOf,
  shortOf,
  SILENCE_S,
  stillWaiting,
} from "../../lib/agents.js";
import { serverNow } from "../../lib/expiry.js";
import { Component } from "../../lib/component.js";
import { element, icon, setText } from "../../lib/dom.js";
import * as phrases from "../../lib/phrases.js";

/**
 * @typedef {object} AgentShown
 * @property {string} taskId
 * @property {string} name
 * @property {import("../../lib/types.js").Agent} agent
 * @property {boolean} adjusting
 * @property {boolean} stopping
 * @property {boolean} adopted
 * @property {boolean} stoppable whether its task is still at work
 */

const TICK_MS = 1000;

/** @extends {Component<AgentShown>} */
class AgentRow extends Component {
  #sign = element("span", { className: "sign" });
  #name = element("strong");
  #figure = element("span");
  #unit = element("span", { className: "unit" });
  #short = element("span", { className: "short" }, this.#figure, " ", this.#unit);
  #doing = element("span", { className: "doing" });
  #progress = element("span", { className: "progress" });
  #note = element("span", { className: "note" });
  #said = element("span", { className: "said" }, this.#doing, " ", this.#progress, " ", this.#note);
  #elapsed = element("span", { className: "elapsed" });
  #stop = element("button", { type: "button", className: "plain" }, "Stop");
  #retry = element("button", { type: "button", className: "plain" }, "Try again");
  /** @type {import("../../lib/types.js").Agent | null} */
  #heard = null;
  #heardAt = 0;

  /** @override */
  build() {
    this.#stop.addEventListener("click", () => this.#stopAgent());
    this.#retry.addEventListener("click", () => this.data && this.act("send", { text: phrases.retry(this.data.name) }));
    this.#elapsed.ariaHidden = "true";
    this.append(
      this.#sign,
      this.#name,
      this.#short,
      this.#said,
      this.#elapsed,
      element("span", { className: "act" }, this.#stop, this.#retry),
    );
  }

  /** @override */
  listen() {
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    this.leaving.addEventListener("abort", () => clearInterval(ticking));
  }

  /** @override @param {AgentShown} shown */
  update(shown) {
    const { name, agent, adjusting, stopping, stoppable } = shown;
    if (!this.#heard || !isSameNews(this.#heard, agent)) this.#heardAt = performance.now();
    this.#heard = agent;
    const doing = doingOf(agent, { adjusting, stopping });
    if (this.dataset.doing !== doing) {
      this.dataset.doing = doing;
      this.#sign.replaceChildren(icon(doing));
    }
    setText(this.#name, agentName(name));
    this.#name.title = agentName(name);
    const [figure, unit] = shortOf(agent, doing);
    setText(this.#figure, figure);
    setText(this.#unit, unit);
    setText(this.#doing, doingInWords(name, doing));
    const progress = progressOf(name, agent, doing);
    setText(this.#progress, progress);
    this.#said.classList.toggle("counted", progress !== "");
    this.#stop.hidden = !stoppable || isOver(doing);
    this.#stop.disabled = stopping;
    this.#stop.ariaLabel = `Stop ${agentName(name).toLowerCase()}`;
    this.#retry.hidden = doing !== "failed";
    this.#retry.ariaLabel = `Try again: ${agentName(name).toLowerCase()}`;
    this.style.setProperty("--done", String(agent.total ? agent.done / agent.total : 0));
    this.#tick();
  }

  #tick() {
    const shown = this.data;
    if (!shown) return;
    const working = this.dataset.doing === "searching";
    const silent = working && performance.now() - this.#heardAt > SILENCE_S * 1000;
    const taken = shown.adopted ? "goes on from your previous message" : "";
    setText(this.#note, silent ? stillWaiting(shown.name, shown.agent) : taken);
    if (working || shown.agent.until) setText(this.#elapsed, elapsedOf(shown.agent, serverNow()));
  }

  #stopAgent() {
    if (this.data) this.act("stop", { taskId: this.data.taskId, agent: this.data.name });
  }
}

/**
 * @param {import("../../lib/types.js").Agent} one
 * @param {import("../../lib/types.js").Agent} other
 */
function isSameNews(one, other) {
  return one.state === other.state && one.detail === other.detail && one.done === other.done && one.count === other.count;
}

customElements.define("agent-row", AgentRow);
