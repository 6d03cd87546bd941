/** The tasks that have not ended here, a line each; a line opens its task. */

import { Component } from "../../lib/component.js";
import { component, element, icon, keepChildren, setText } from "../../lib/dom.js";
import { between, doing, lasted, PHASE_WORDS, tokens } from "../../lib/operating.js";

/**
 * @typedef {import("../../lib/operating.js").State} State
 * @typedef {import("../../lib/operating.js").RunningTask} RunningTask
 *
 * @typedef {{task: RunningTask, at: string, isOpened: boolean, isStopping: boolean}} Line
 */

const LOADING = "Loading…";
const SIGNS = { working: "searching", ending: "stopping", queued: "waiting", needs_user: "needs-you" };

/** @extends {Component<State>} */
class RunningTasks extends Component {
  #list = element("ul");
  #none = element("p", { className: "quiet none" }, LOADING);
  #more = element("p", { className: "quiet more" });

  /** @override */
  build() {
    this.append(this.#list, this.#none, this.#more);
  }

  /** @override @param {State} state */
  update({ running, refused, opened, stopping }) {
    if (!running) return setText(this.#none, refused ? "" : LOADING);
    keepChildren(this.#list, running.tasks, {
      key: ({ task_id }) => task_id,
      create: () => element("li", {}, component("task-line")),
      update: (line, task) => {
        const [isOpened, isStopping] = [opened?.taskId === task.task_id, stopping.includes(task.task_id)];
        const shown = /** @type {Component<Line>} */ (line.firstElementChild);
        shown.data = { task, at: running.at, isOpened, isStopping };
      },
    });
    const all = Object.values(running.phases).reduce((sum, count) => sum + count, 0);
    setText(this.#none, all ? "" : "Nothing is running here.");
    setText(this.#more, all > running.tasks.length ? `and ${all - running.tasks.length} more` : "");
  }
}

/** @extends {Component<Line>} */
class TaskLine extends Component {
  #sign = element("span", { className: "sign" });
  #user = element("strong");
  #phase = element("span", { className: "phase" });
  #doing = element("span", { className: "doing" });
  #figures = element("span", { className: "figures" });
  #since = element("span", { className: "since" });
  #open = element("button", { type: "button", className: "open" });

  /** @override */
  build() {
    this.#open.append(this.#sign, this.#user, " ", this.#phase, " ", this.#since, " ", this.#doing, " ", this.#figures);
    this.#open.addEventListener("click", () => {
      const { user_id, task_id } = /** @type {Line} */ (this.data).task;
      const detail = { want: "open", opened: { userId: user_id, taskId: task_id } };
      this.dispatchEvent(new CustomEvent("operate", { bubbles: true, detail }));
    });
    this.append(this.#open);
  }

  /** @override @param {Line} line */
  update({ task, at, isOpened, isStopping }) {
    const phase = isStopping ? "ending" : task.phase;
    if (this.dataset.phase !== phase) this.#sign.replaceChildren(icon(SIGNS[phase]));
    this.dataset.phase = phase;
    const more = [task.aside ? "aside" : "", task.attempt > 1 ? `attempt ${task.attempt}` : ""];
    setText(this.#user, task.user_id);
    setText(this.#phase, [PHASE_WORDS[phase], ...more].filter(Boolean).join(", "));
    setText(this.#doing, [task.graph ?? "", doing(task)].filter(Boolean).join(": "));
    setText(this.#figures, [task.found ? `${task.found} found` : "", tokens(task.usage)].filter(Boolean).join(", "));
    setText(this.#since, lasted(between(task.since, at)));
    if (isOpened) this.#open.setAttribute("aria-current", "true");
    else this.#open.removeAttribute("aria-current");
  }
}

customElements.define("task-line", TaskLine);
customElements.define("running-tasks", RunningTasks);
