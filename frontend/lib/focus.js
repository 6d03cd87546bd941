/** Where the focus goes when people want to go there: to what is asked, and back to the message box. */

/** The components that ask. */
export const REQUEST = "question-form, travellers-form, permission-card";

/** @typedef {HTMLElement & {enter(): void}} RequestElement */

/** Go to what is asked, if anything is. */
export function goToRequest() {
  const request = /** @type {RequestElement | null} */ (document.querySelector(REQUEST));
  if (!request) return;
  showConversation();
  request.scrollIntoView({ block: "nearest" });
  request.enter();
}

export function goToMessageBox() {
  showConversation();
  messageBox()?.focus();
}

/** Whether nobody would lose anything if the focus went elsewhere: nothing is typed, and nothing has it. */
export function focusIsFree() {
  const active = document.activeElement;
  const nowhere = active === null || active === document.body || active.role === "log";
  return nowhere && messageBox()?.value === "";
}

/** On a narrow screen the conversation is one of several views. */
function showConversation() {
  document.dispatchEvent(new CustomEvent("look", { detail: { view: "chat" } }));
}

/** @returns {HTMLTextAreaElement | null} */
function messageBox() {
  return document.querySelector("#message");
}

/** Put text into the message box, behind what is typed there. @param {string} text */
export function addToMessageBox(text) {
  const box = messageBox();
  if (!box) return;
  box.value = [box.value.trimEnd(), text].filter(Boolean).join("\n");
  box.dispatchEvent(new Event("input"));
}

// --- The keyboard of this device

/** Whether the key beside Enter's other meaning is Cmd, and not Ctrl; both work. */
export const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");
