/** Serves the page, and passes its calls on to the server that `DETOUR_API` names. */

import { defineConfig } from "vite";

const target = process.env.DETOUR_API ?? "http://127.0.0.1:8000";

export default defineConfig({
  // The server takes calls of its own pages only, so they come to it as if from there.
  server: { proxy: { "/v1": { target, changeOrigin: true, headers: { origin: target } } } },
});
