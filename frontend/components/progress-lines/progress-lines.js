/** How far the task is: a headline, and on narrow screens, where the board is another tab, a line per agent. */

import { takenOver } from "../../lib/calls.js";
import { Component } from "../../lib/component.js";
import { element, keepChildren, setText } from "../../lib/dom.js";
import { agentLine, headline } from "../../lib/progress.js";

/**
 * @typedef {object} Progress
 * @property {import("../../lib/types.js").Task} task
 * @property {boolean} stopping
 * @property {string[]} stoppingAgents
 * @property {string[]} queued
 */

/** @extends {Component<Progress>} */
class ProgressLines extends Component {
  #headline = element("span");
  #agents = element("ul");
  #taken = element("p", { className: "taken", dir: "auto" });

  /** @override */
  build() {
    // The announcer tells of progress, at its own pace.
    this.ariaLive = "off";
    this.append(element("p", { className: "headline" }, element("i", { ariaHidden: "true" }), this.#headline));
    this.append(this.#agents, this.#taken);
  }

  /** @override @param {Progress} progress */
  update({ task, stopping, stoppingAgents, queued }) {
    const waiting = queued.filter((id) => id !== task.task_id).length;
    const behind = waiting ? ` ${waiting} more ${waiting === 1 ? "message is" : "messages are"} waiting.` : "";
    setText(this.#headline, headline(task, stopping) + behind);
    this.classList.toggle("waits", task.status === "input_required" || task.status === "queued");
    keepChildren(this.#agents, Object.entries(task.agents), {
      key: ([name]) => name,
      create: () => element("li", { dir: "auto" }),
      update: (line, [name, agent]) => {
        line.dataset.state = agent.state;
        const stops = stoppingAgents.includes(name) && agent.state === "working";
        setText(line, agentLine(name, agent) + (stops ? ", stopping…" : ""));
      },
    });
    const taken = takenOver(task);
    this.#taken.hidden = taken === "";
    setText(this.#taken, taken);
  }
}

customElements.define("progress-lines", ProgressLines);
