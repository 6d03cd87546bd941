/** The page: one user's conversation. `?user=` says whose. */

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { Chat } from "./Chat";

const userId = new URLSearchParams(location.search).get("user") ?? "guest";
const root = document.getElementById("root");
if (!root) throw new Error("The page has no root.");
createRoot(root).render(
  <StrictMode>
    <Chat userId={userId} />
  </StrictMode>,
);
