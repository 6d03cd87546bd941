/** Builds the page; its address names the server that it talks to. */

import { defineConfig } from "vite";

export default defineConfig({
  build: {
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      // Every module of assistant-ui begins with "use client", which means nothing to a bundler.
      onLog: (level, log, handle) => log.code === "MODULE_LEVEL_DIRECTIVE" || handle(level, log),
    },
  },
});
