/** Builds the page. `VITE_DETOUR_URL` names the server that the page talks to, which has another origin. */

import { defineConfig } from "vite";

export default defineConfig({
  build: {
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // Every module of assistant-ui begins with "use client", which means nothing to a bundler.
      onLog: (level, log, handle) => log.code === "MODULE_LEVEL_DIRECTIVE" || handle(level, log),
    },
  },
});
