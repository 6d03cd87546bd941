/** Every component of the operator's page, one line each, by name. */

import "./running-tasks/running-tasks.js";
import "./serving-state/serving-state.js";
import "./session-tools/session-tools.js";
import "./task-timeline/task-timeline.js";
