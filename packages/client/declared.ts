/** Holds the code to its declarations; only the type checker reads this file. */

import type * as declared from "./index.js";
import * as written from "./src/index.js";

written satisfies typeof declared;
