/** The page of the travel assistant: its components, and what wires them together. */

import "./components/components.js";
import "./app.js";
