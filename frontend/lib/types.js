/**
 * The values that the page works with: what the server's frames carry, and the state that they add up to.
 *
 * @typedef {"queued" | "running" | "input_required" | "cancelling" | "completed" | "failed" | "interrupted"} Status
 * @typedef {"superseded" | "stopped" | "timed_out" | "shutdown" | "lost"} Reason
 *
 * @typedef {object} Money
 * @property {string} amount a decimal number
 * @property {string} currency ISO 4217
 *
 * @typedef {object} Segment one take-off and one landing; times are local to their airport, with the offset
 * @property {string} carrier
 * @property {string} carrier_name
 * @property {string} number
 * @property {string} origin
 * @property {string} destination
 * @property {string} departs_at
 * @property {string} arrives_at
 * @property {number} duration_minutes
 * @property {string} aircraft
 *
 * @typedef {{segments: Segment[], duration_minutes: number}} Slice one direction of a journey
 *
 * @typedef {object} Terms on what terms a seller sells an offer; what it does not tell is null or ""
 * @property {string} sold_as
 * @property {string} name of the fare or the room
 * @property {string | null} expires_at
 * @property {string | null} held_until null where it has to be paid at once
 * @property {Money | null} refund_fee
 * @property {Money | null} change_fee
 * @property {number | null} carry_on_bags
 * @property {{since: string, fee: Money}[]} cancelling what cancelling a stay costs, the earliest first
 * @property {Money | null} paid_there
 * @property {boolean | null} [refundable] whether cancelling a stay gives anything back
 * @property {number[]} [children] the ages of those whom the price takes for children
 * @property {"none" | "passports" | "others"} [papers] what the airline wants of each traveller; others are not given here
 *
 * @typedef {object} FlightOffer what its seller does not tell is null; the demo has no terms
 * @property {string} offer_id
 * @property {string} provider
 * @property {string} source
 * @property {boolean} live false where nothing is bought: of the demo, and in a seller's test mode
 * @property {Slice[]} slices
 * @property {number} passengers
 * @property {string} cabin_class
 * @property {Money} price_total
 * @property {Money} price_per_person
 * @property {number | null} checked_bags
 * @property {boolean | null} refundable
 * @property {boolean | null} changeable
 * @property {Terms | null} [terms]
 *
 * @typedef {object} HotelOffer what its seller does not tell is null; the demo has no terms
 * @property {string} offer_id
 * @property {string} provider
 * @property {string} source
 * @property {boolean} live
 * @property {string} name
 * @property {string} city
 * @property {string} country
 * @property {string} district
 * @property {number | null} latitude
 * @property {number | null} longitude
 * @property {number | null} distance_km from the middle of the city
 * @property {number | null} stars
 * @property {number | null} score
 * @property {string[] | null} amenities
 * @property {string} check_in
 * @property {string} check_out
 * @property {number} rooms
 * @property {number} guests
 * @property {Money} price_total
 * @property {Money} price_per_night
 * @property {string | null} free_cancellation_until
 * @property {Terms | null} [terms]
 *
 * @typedef {object} CarOffer a rental car, returned where it is picked up
 * @property {string} offer_id
 * @property {string} provider
 * @property {string} source
 * @property {boolean} live
 * @property {string} supplier
 * @property {string} model
 * @property {string} car_class
 * @property {string} transmission
 * @property {number} seats
 * @property {number} bags
 * @property {string} station airport or centre
 * @property {string} city
 * @property {string} country
 * @property {string} pick_up
 * @property {string} drop_off
 * @property {Money} price_total
 * @property {Money} price_per_day
 * @property {boolean} unlimited_mileage
 * @property {string | null} free_cancellation_until
 *
 * @typedef {object} TourPlan several cities in the order that costs least
 * @property {string} offer_id
 * @property {string} provider
 * @property {boolean} live
 * @property {string} start
 * @property {string[]} order
 * @property {boolean} returns
 * @property {string} first_day
 * @property {string} last_day
 * @property {{city: string, nights: number}[]} stays
 * @property {FlightOffer[]} legs
 * @property {number} passengers
 * @property {Money} price_total
 * @property {Money} price_per_person
 *
 * @typedef {FlightOffer | HotelOffer | CarOffer | TourPlan} Offer
 *
 * @typedef {object} Agent
 * @property {"waiting" | "working" | "input_required" | "done" | "interrupted" | "failed"} state
 * @property {string} detail
 * @property {number} done sources that have answered
 * @property {number} total sources asked
 * @property {number} count offers found
 * @property {Object<string, unknown>} [request] what it was asked to find
 * @property {string | null} [since] when it began to work
 * @property {string | null} [until] when it ended
 *
 * @typedef {object} Call a tool call
 * @property {string} call_id
 * @property {string} tool
 * @property {string} state running, or what became of it
 * @property {"none" | "read" | "write"} effect
 * @property {string} summary
 *
 * @typedef {object} Task
 * @property {string} task_id
 * @property {Status} status
 * @property {Reason | null} reason
 * @property {string} message
 * @property {number} started the number of the event with which it was at work, 0 before that
 * @property {string | null} began when it was accepted
 * @property {string | null} ended when it was over
 * @property {Object<string, Agent>} agents
 * @property {Object<string, Offer[]>} partials
 * @property {Object<string, Call>} calls
 * @property {Transfer | null} transfer what it took over of the task before it
 * @property {Sorted | null} [sorted] what it makes of the results of the task before it
 * @property {string} reply what it has said so far
 * @property {number} replied how much that is, in characters as the server counts them (code points)
 *
 * @typedef {{from_task_id: string, results: Object<string, {stays: number[], waits: number[], goes: number[]}>}} Sorted by
 *   agent, the places of results in what that task had found
 *
 * @typedef {object} Interrupted what an interrupted task left
 * @property {string} task_id
 * @property {string} message what it was asked
 * @property {Reason | null} reason
 * @property {string | null} at when it was over
 * @property {string | null} began when it was accepted
 * @property {Object<string, Offer[]>} partials
 * @property {Object<string, Agent>} agents how far they were; none where it ended before the page was opened
 * @property {string} text as much of its reply as it had said
 *
 * @typedef {{from_task_id: string, relation: string | null, carried: Object<string, unknown>, adopted: string[],
 *   dropped: string[]}} Transfer
 *
 * @typedef {{call_id: string, tool: string, effect: string, outcome: string, summary: string}} ReceiptCall
 *
 * @typedef {object} Receipt
 * @property {string} task_id
 * @property {Reason | null} reason
 * @property {string} at
 * @property {string | null} requested_at
 * @property {string} settled_at
 * @property {number} text_kept
 * @property {Object<string, number>} partial_results
 * @property {string | null} input_request
 * @property {ReceiptCall[]} tool_calls
 * @property {string | null} adopted_by
 * @property {"operator"} [stopped_by]
 * @property {string} [amended_at]
 *
 * @typedef {object} Message
 * @property {string} message_id
 * @property {"user" | "assistant" | "system"} role
 * @property {string} text
 * @property {string} task_id
 * @property {string} at
 * @property {boolean} interrupted
 * @property {string | null} client_id what the page that sent it called it
 * @property {string[]} [suggestions] what the user may want to say next
 * @property {"pending" | "taken_in" | "merged" | "own_task" | "withdrawn"} [steer] what became of one that was to steer a
 *   task; `task_id` is the task in whose run it is
 * @property {string} [taken_in_at] when that took it in
 *
 * @typedef {{message_id: string, text: string, revision: number, at: string, client_id: string | null}} Pending a message
 *   that waits to be taken in; `revision` counts its edits
 * @typedef {{how: "edit" | "withdraw" | "now" | "later", error: string}} Changing what is done with one from here, and why it
 *   was refused; "" while it is under way
 *
 * @typedef {{client_id: string, text: string, state: "sending" | "accepted" | "waiting" | "unsent",
 *   error: string, task_id?: string, policy?: import("./policies.js").Policy, from?: string}} Outgoing a message that the
 *   server has not listed yet; one that is `waiting` is sent once the server is back. `from` is the step that it goes back to
 *
 * @typedef {object} InputRequest
 * @property {string} request_id
 * @property {string} task_id
 * @property {"question" | "permission"} kind
 * @property {string} agent
 * @property {string} prompt
 * @property {JsonSchema} schema
 * @property {Object<string, unknown>} [defaults]
 * @property {Object<string, unknown>} [facts] what a permission would allow, under short titles
 * @property {string | null} expires_at
 *
 * @typedef {"answered" | "allowed" | "denied" | "withdrawn" | "expired"} Outcome of a question or a permission
 * @typedef {InputRequest & {outcome: Outcome}} Resolved one that is no longer open
 *
 * @typedef {object} Answering how it goes with an answer that was given here
 * @property {"sending" | "refused"} state
 * @property {string} error why it was refused, as a sentence; "" while it is sent
 * @property {Fault[]} details what is wrong with each field
 *
 * @typedef {{field: string, message: string}} Fault
 *
 * @typedef {object} JsonSchema
 * @property {string} [type]
 * @property {string} [title]
 * @property {string} [description]
 * @property {string} [format]
 * @property {unknown[]} [enum]
 * @property {JsonSchema[]} [oneOf]
 * @property {JsonSchema[]} [anyOf]
 * @property {unknown} [const]
 * @property {unknown} [default]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {string[]} [required]
 * @property {Object<string, JsonSchema>} [properties]
 * @property {number} [x-travellers] how many people a seller wants to know
 * @property {boolean} [x-passports] whether it wants their passports, too
 *
 * @typedef {"connecting" | "live" | "reconnecting" | "offline" | "signed_out" | "refused"} Link
 */

/**
 * What a user can do with the page, as the events that components send up.
 *
 * @typedef {object} Actions
 * @property {{text: string, policy?: import("./policies.js").Policy, from?: string}} send send a message; without a policy it does to what
 *   runs what the server does by itself
 * @property {{taskId: string, text: string}} edit send another text in place of the message that began a task: the
 *   conversation goes back to where it was before
 * @property {{policy: import("./policies.js").Policy}} choosePolicy choose what Enter does while something runs
 * @property {{messageId: string, how: "withdraw" | "now" | "later"}} settle withdraw a message that waits to be taken in,
 *   interrupt what runs with it, or leave it for the end of that
 * @property {{messageId: string, text: string, revision: number}} revise replace its text; `revision` is the one that was seen
 * @property {{clientId: string}} resend try again to send a message that did not reach the server
 * @property {{clientId: string}} withdraw take back a message that waits for the server
 * @property {{taskId: string, agent?: string, withdraws?: boolean}} stop stop a task, or one agent of it; where it
 *   `withdraws`, with all that waits to be taken in
 * @property {{requestId: string, answer?: Object<string, unknown>, decision?: "allow" | "deny"}} answer answer a
 *   question or decide a permission
 * @property {{taskId: string}} explain fetch the receipt of a task
 * @property {{taskId: string}} trace fetch what the tool calls of a task were given, and what they came to
 * @property {{userId: string}} travel go to another trip
 * @property {{userId: string, name: string}} rename name a trip
 * @property {{}} signOut end the session, and leave nothing of it in this browser
 * @property {{userId: string}} forget delete a trip and all the server knows of it
 * @property {{view: string}} look look at a part of the page where there is room for one: chat, trip, flights, hotels,
 *   plans, results or bookings
 * @property {{text: string}} tell say a sentence above the message box
 * @property {{}} dismiss take the notice away
 * @property {{}} askBookings fetch what was booked, again
 * @property {{}} askKept fetch which requests there are offers of, again
 * @property {{taskId: string}} askKeptOffers fetch the offers of one of these requests, once
 * @property {{query: Object<string, string | number>}} askFares fetch the cheapest total of each day around a date;
 *   they stand in `state.fares` under `fareKey(query)`
 * @property {{codes: string[]}} askAirports fetch airports, those that are not known yet
 * @property {{}} askLand fetch where the world's airports are, once
 */

export {};
