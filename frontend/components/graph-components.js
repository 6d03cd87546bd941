/** Every component of the page of any graph, one line each, by name. */

import "./chat-message/chat-message.js";
import "./connection-banner/connection-banner.js";
import "./found-items/found-items.js";
import "./graph-conversation/graph-conversation.js";
import "./live-announcer/live-announcer.js";
import "./markdown-text/markdown-text.js";
import "./message-composer/message-composer.js";
import "./page-tools/page-tools.js";
import "./pending-messages/pending-messages.js";
import "./permission-card/permission-card.js";
import "./plain-card/plain-card.js";
import "./progress-lines/progress-lines.js";
import "./question-form/question-form.js";
import "./send-policy/send-policy.js";
import "./session-tools/session-tools.js";
import "./step-list/step-list.js";
import "./task-fold/task-fold.js";
import "./trip-menu/trip-menu.js";
import "./value-view/value-view.js";
