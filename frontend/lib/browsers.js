/** What a browser is called, by what it calls itself. Pure. */

/** The first that fits counts: most name others as well. @type {[RegExp, string][]} */
const BROWSERS = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

/** @type {[RegExp, string][]} */
const SYSTEMS = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPod)\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "Mac"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** "Firefox on Linux"; of what is not known, how it begins. @param {string} agent the header `User-Agent` */
export function browserName(agent) {
  const browser = found(BROWSERS, agent);
  const system = found(SYSTEMS, agent);
  if (browser) return system ? `${browser} on ${system}` : browser;
  return agent.split(/[\s/(]/, 1)[0] || "An unknown program";
}

/** @param {[RegExp, string][]} table @param {string} agent */
function found(table, agent) {
  return table.find(([sign]) => sign.test(agent))?.[1];
}
