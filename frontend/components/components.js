/** Every component of the page, one line each, by name. */

import "./agent-row/agent-row.js";
import "./booking-card/booking-card.js";
import "./chat-message/chat-message.js";
import "./city-map/city-map.js";
import "./connection-banner/connection-banner.js";
import "./facts-strip/facts-strip.js";
import "./flight-card/flight-card.js";
import "./hotel-card/hotel-card.js";
import "./kept-results/kept-results.js";
import "./live-announcer/live-announcer.js";
import "./message-composer/message-composer.js";
import "./offer-list/offer-list.js";
import "./page-tools/page-tools.js";
import "./permission-card/permission-card.js";
import "./plain-card/plain-card.js";
import "./plan-card/plan-card.js";
import "./price-days/price-days.js";
import "./progress-lines/progress-lines.js";
import "./question-form/question-form.js";
import "./result-tabs/result-tabs.js";
import "./route-map/route-map.js";
import "./task-fold/task-fold.js";
import "./trip-board/trip-board.js";
import "./trip-conversation/trip-conversation.js";
import "./trip-menu/trip-menu.js";
import "./view-tabs/view-tabs.js";
