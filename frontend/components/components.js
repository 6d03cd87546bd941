/** Every component of the page, one line each, by name. */
export {};
