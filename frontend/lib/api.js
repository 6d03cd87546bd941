/** The HTTP calls of the page. Each resolves to the answer's JSON, or throws an Error fit to be shown. */

async function call(path, body) {
  let response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error("The server can’t be reached.");
  }
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error?.message ?? `The server answered ${response.status}.`);
  return answer;
}

export function sendMessage(userId, message, clientId) {
  return call("/chat", { user_id: userId, message, client_id: clientId });
}

export function stopTask(userId, taskId) {
  return call(`/stop/${encodeURIComponent(userId)}`, { task_id: taskId });
}

export function sendAnswer(userId, body) {
  return call(`/answer/${encodeURIComponent(userId)}`, body);
}

/** Trade the token that the printed link carries in its fragment for a cookie, and take it out of the address. */
export async function signInFromLink() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  await call("/session", { token });
}
