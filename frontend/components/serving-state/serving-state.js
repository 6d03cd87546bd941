/** What this server is about: serving, draining or recovering; how much runs, and which other replicas there are. */

import { chosenScheme, chooseScheme, SCHEMES } from "../../lib/scheme.js";
import { Component } from "../../lib/component.js";
import { element, setText } from "../../lib/dom.js";
import { instant, PHASES, PHASE_WORDS } from "../../lib/operating.js";

/** @typedef {import("../../lib/operating.js").State} State */

const STATES = {
  recovering: ["Recovering", "Resuming work left by an earlier process."],
  serving: ["Serving", "Accepting new work."],
  draining: ["Draining", "No new work is accepted; running tasks finish."],
};
const DRAINED = "Nothing is running any more: it can be shut down.";
const SCHEME_NAMES = { system: "System", light: "Light", dark: "Dark" };

/** @extends {Component<State>} */
class ServingState extends Component {
  #name = element("h2");
  #state = element("strong");
  #about = element("span", { className: "quiet" });
  #turn = element("button", { type: "button", hidden: true });
  #figures = element("dl", { className: "figures" });
  #others = element("p", { className: "quiet others" });
  #at = element("p", { className: "quiet at" });
  #counts = new Map(PHASES.map((phase) => [phase, element("dd", {}, "–")]));

  /** @override */
  build() {
    this.#turn.addEventListener("click", () => {
      const want = this.data?.running?.serving === "draining" ? "serve" : "drain";
      this.dispatchEvent(new CustomEvent("operate", { bubbles: true, detail: { want } }));
    });
    const scheme = element("select", { ariaLabel: "Colours" });
    scheme.append(...SCHEMES.map((value) => element("option", { value }, SCHEME_NAMES[value])));
    scheme.value = chosenScheme();
    scheme.addEventListener("change", () => chooseScheme(/** @type {import("../../lib/scheme.js").Scheme} */ (scheme.value)));
    for (const phase of PHASES) {
      const count = /** @type {HTMLElement} */ (this.#counts.get(phase));
      const words = phase === "needs_user" ? "waiting for their users" : PHASE_WORDS[phase] ?? phase;
      const figure = element("div", {}, count, element("dt", {}, words));
      figure.dataset.phase = phase;
      this.#figures.append(figure);
    }
    const told = element("p", { className: "told" }, this.#state, this.#about);
    const words = element("div", { className: "words" }, this.#name, told, this.#others);
    const side = element("div", { className: "side" }, this.#turn, scheme);
    this.append(words, side, this.#figures, this.#at);
  }

  /** @override @param {State} state */
  update({ running }) {
    if (!running) return;
    const { serving, replica, replicas, phases, at } = running;
    const isIdle = serving === "draining" && phases.working + phases.ending + phases.queued === 0;
    const [name, about] = STATES[serving];
    setText(this.#name, replica || "This server");
    this.dataset.serving = serving;
    setText(this.#state, name ?? serving);
    setText(this.#about, (isIdle ? DRAINED : about) ?? "");
    this.#turn.hidden = false;
    setText(this.#turn, serving === "draining" ? "Serve again" : "Drain…");
    this.#turn.disabled = serving === "recovering";
    for (const phase of PHASES) {
      const count = this.#counts.get(phase);
      if (count) setText(count, String(phases[phase]));
    }
    setText(this.#others, otherWords(replica, replicas));
    setText(this.#at, `As of ${instant(at)}`);
  }
}

/**
 * @param {string} own
 * @param {string[] | null} replicas
 */
function otherWords(own, replicas) {
  if (replicas === null) return "Other replicas: the database does not say.";
  const others = replicas.filter((name) => name !== own);
  if (others.length) return `Other replicas: ${others.join(", ")}`;
  return own ? "No other replica is alive." : "";
}

customElements.define("serving-state", ServingState);
