/** The keyboard of this device. */

/** Whether the key beside Enter's other meaning is Cmd, and not Ctrl; both work. */
export const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");
