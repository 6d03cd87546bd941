/** The page: `?server=URL` names the server, `?thread=ID` the thread, which a reload finds again. */

import { createRoot } from "react-dom/client";

import { Chat } from "./Chat";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no root.");
const asked = new URLSearchParams(location.search);
createRoot(root).render(<Chat server={asked.get("server") ?? ""} thread={asked.get("thread")} />);
