/** Every component of the page, one line each, by name. */

import "./agent-row/agent-row.js";
import "./booking-card/booking-card.js";
import "./facts-strip/facts-strip.js";
import "./flight-card/flight-card.js";
import "./hotel-card/hotel-card.js";
import "./kept-results/kept-results.js";
import "./offer-list/offer-list.js";
import "./plan-card/plan-card.js";
import "./result-tabs/result-tabs.js";
import "./trip-board/trip-board.js";
import "./view-tabs/view-tabs.js";
