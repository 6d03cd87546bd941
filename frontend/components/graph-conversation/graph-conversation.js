/** The conversation with any graph: what it says in Markdown, and what it does on the way to it. */

import { graphEntries, untraced } from "../../lib/graph-entries.js";
import { OWN_EXAMPLES, TripConversation } from "../trip-conversation/trip-conversation.js";

/** @typedef {import("../../lib/reduce.js").State} State */

class GraphConversation extends TripConversation {
  #traced = new Set();

  /** @override */
  invitation() {
    return {
      title: "How can I help?",
      words: "Ask anything. Change your mind at any moment: what was done so far is kept.",
      examples: OWN_EXAMPLES,
    };
  }

  /** @override @param {State} state */
  entries(state) {
    return graphEntries(state);
  }

  /** @override @param {State} state */
  update(state) {
    super.update(state);
    if (!state.synced) return;
    for (const taskId of untraced(state)) {
      if (this.#traced.has(taskId)) continue;
      this.#traced.add(taskId);
      this.act("trace", { taskId });
    }
  }
}

customElements.define("graph-conversation", GraphConversation);
