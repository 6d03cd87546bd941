/** The page of any graph: its components, and what wires them together. */

import "./components/graph-components.js";
import "./app.js";
