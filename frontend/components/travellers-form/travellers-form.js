/**
 * Who travels, as a form: a group of fields for each person. What is typed goes to the server by a call of its own, and
 * neither into the answer, the state of the page, nor the browser's storage.
 */

import { askTravellers, keepTravellers } from "../../lib/api.js";
import { Component } from "../../lib/component.js";
import { element, setText } from "../../lib/dom.js";
import { keepExpiry } from "../../lib/expiry.js";
import { sortFaults } from "../../lib/forms.js";
import { AUTOCOMPLETE, faultsOfPerson, fieldsOfPerson, filledIn, passportsAsked, travellerOf, withKnownPassport } from "../../lib/travellers.js";
import { QuestionField } from "../question-form/question-field.js";

/**
 * @typedef {import("../../lib/types.js").Fault} Fault
 * @typedef {import("../../lib/travellers.js").Traveller} Traveller
 * @typedef {object} Asked
 * @property {string} userId
 * @property {number} people
 * @property {Traveller[]} [known] where there is no question, whom to change
 * @property {import("../../lib/types.js").InputRequest} [request] the question that is answered with it
 * @property {import("../../lib/types.js").Answering} [answering]
 * @property {number} [behind] how many more wait to be asked
 */

const KEPT = "Kept on this server for the sellers of this trip’s bookings, apart from the conversation, and deleted with the trip.";

let made = 0;

/** @extends {Component<Asked>} */
class TravellersForm extends Component {
  /** @type {QuestionField[][]} of each person */
  #people = [];
  #fields = fieldsOfPerson(false);
  /** @type {Traveller[]} */
  #known = [];
  #save = element("button", { type: "submit", className: "primary" });
  #expiry = element("span");
  #behind = element("span");
  #error = element("p", { className: "error", dir: "auto", role: "alert", hidden: true });
  #saving = false;
  /** @type {import("../../lib/types.js").Answering | undefined} */
  #told;

  /** @override */
  build() {
    if (!this.data) return;
    made += 1;
    const { request, people, known } = this.data;
    const withPassport = request ? passportsAsked(request) : (known ?? []).some(({ passport }) => passport);
    this.#fields = fieldsOfPerson(withPassport);
    this.#people = Array.from({ length: people }, () => this.#fields.map((field) => new QuestionField(field, 0)));
    for (const field of this.#people[0] ?? []) field.complete(AUTOCOMPLETE[field.name] ?? "off");
    const title = element("h2", { id: `travellers-${made}`, tabIndex: -1 });
    if (request) title.append(element("span", { className: "kind" }, "Question"), " ");
    title.append(element("span", { dir: "auto" }, request?.prompt ?? "Who travels"));
    const groups = this.#people.map((fields, at) => {
      const legend = element("legend", {}, people > 1 ? `Traveller ${at + 1}` : "Traveller");
      return element("fieldset", { className: "person" }, legend, element("div", { className: "fields" }, ...fields.map(({ node }) => node)));
    });
    const buttons = element("div", { className: "row" }, this.#save);
    const terms = element("p", { className: "terms" }, this.#expiry, this.#behind);
    const kept = element("p", { className: "hint" }, KEPT);
    const form = element("form", { noValidate: true, ariaLabel: "Who travels" }, title, ...groups, kept, this.#error, buttons, terms);
    form.setAttribute("aria-describedby", title.id);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.append(form);
    this.#fill();
  }

  /** @override */
  listen() {
    if (this.data?.request) keepExpiry(this.#expiry, this.data.request.expires_at, this.leaving);
  }

  /** Put the focus on the first field that is still empty. */
  enter() {
    const controls = this.#people.flat();
    (controls.find((control) => control.value === "") ?? controls[0])?.focus();
  }

  /** @override @param {Asked} asked */
  update({ request, answering, behind }) {
    const busy = this.#saving || answering?.state === "sending";
    setText(this.#save, busy ? "Saving…" : request ? "Save and go on" : "Save");
    this.#save.ariaDisabled = busy ? "true" : null;
    setText(this.#behind, behind ? `${behind} more ${behind === 1 ? "question" : "questions"} after this` : "");
    if (answering === this.#told) return;
    this.#told = answering;
    if (answering?.state === "refused") this.#tell(answering.error);
  }

  /** Those who are known already need not be told again. */
  async #fill() {
    if (!this.data) return;
    const { userId, known } = this.data;
    this.#known = known ?? (await askTravellers(userId).then(({ travellers }) => travellers, () => [])); // or they are typed anew
    for (const [at, fields] of this.#people.entries()) {
      const values = filledIn(this.#known[at] ?? {});
      for (const field of fields) if (field.value === "") field.value = values[field.name] ?? "";
    }
  }

  async #submit() {
    if (!this.data || this.#saving || this.data.answering?.state === "sending") return;
    const { request, userId } = this.data;
    this.#setSaving(true);
    this.#tell("");
    const told = this.#people.map((fields, at) =>
      withKnownPassport(travellerOf(Object.fromEntries(fields.map(({ name, value }) => [name, value]))), this.#known[at]),
    );
    try {
      await keepTravellers(userId, [...told, ...this.#known.slice(told.length)]);
      this.#showFaults([], "");
      if (request) this.act("answer", { requestId: request.request_id, answer: { travellers: true } });
      else this.dispatchEvent(new CustomEvent("kept"));
    } catch (error) {
      const { details, message } = /** @type {import("../../lib/api.js").ApiError} */ (error);
      this.#showFaults(details, message);
    }
    this.#setSaving(false);
  }

  /** @param {Fault[]} details @param {string} message said of the whole where no field is to blame */
  #showFaults(details, message) {
    const faults = this.#people.map((_, at) => sortFaults(this.#fields, faultsOfPerson(at, details)).byField);
    for (const [at, fields] of this.#people.entries()) {
      for (const field of fields) field.error = faults[at]?.get(field.name) ?? "";
    }
    const at = faults.findIndex(({ size }) => size > 0);
    this.#tell(at < 0 ? message : "");
    const first = this.#people[at]?.find(({ name }) => faults[at]?.has(name));
    // Only who is filling it in is led to what is wrong.
    if (this.contains(document.activeElement)) first?.focus();
  }

  /** @param {string} error "" for none */
  #tell(error) {
    this.#error.hidden = error === "";
    setText(this.#error, error);
  }

  /** @param {boolean} saving */
  #setSaving(saving) {
    this.#saving = saving;
    if (this.data) this.update(this.data);
  }
}

customElements.define("travellers-form", TravellersForm);
