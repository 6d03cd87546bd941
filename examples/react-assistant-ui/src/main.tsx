/** The page: one thread, whose id is in the page's address, so that a reload finds it again. */

import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

import { Chat } from "./Chat";

const apiUrl = import.meta.env.VITE_DETOUR_URL ?? "http://127.0.0.1:8000";

function Page() {
  const [threadId, setThreadId] = useState(() => new URLSearchParams(location.search).get("thread"));
  const remember = (id: string) => {
    history.replaceState(null, "", `?thread=${encodeURIComponent(id)}`);
    setThreadId(id);
  };
  return <Chat apiUrl={apiUrl} threadId={threadId} onThreadId={remember} />;
}

const root = document.getElementById("root");
if (!root) throw new Error("The page has no root.");
createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
