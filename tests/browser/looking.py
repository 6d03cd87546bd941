"""What can be measured of how a page looks: what axe-core finds, what is too small, and what is too wide."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN_AXE = """async (tags) => {
  const runOnly = { type: "tag", values: tags };
  const found = await axe.run(document, { runOnly, resultTypes: ["violations"] });
  return found.violations.map(({ id, help, nodes }) => ({
    id, help, at: nodes.map((node) => `${node.target} ${node.failureSummary}`) }));
}"""
LEAST_TARGET = 24
"""CSS pixels (WCAG 2.2, 2.5.8)."""

SMALL = """(least) => {
  const controls = "button, a[href], input:not([type=hidden]), select, textarea, summary, [role=tab]";
  const chips = "input[type=radio], input[type=checkbox]";
  const target = (node) => (node.matches(chips) ? (node.closest("label") ?? node) : node);
  const inSentence = (node) => node.matches("a") && getComputedStyle(node).display === "inline";
  return [...document.querySelectorAll(controls)]
    .filter((node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest(".skip, .unseen"))
    .filter((node) => !inSentence(node))
    .map((node) => [target(node).getBoundingClientRect(), node])
    .filter(([{ width, height }]) => width > 0 && (width < least || height < least))
    .map(([{ width, height }, node]) => `${node.outerHTML.slice(0, 120)}: ${width} x ${height}`);
}"""
DRAWN = """async () => {
  await document.fonts.ready;
  // The first frame lays out what has changed, and tells those that observe sizes; the second, what they did.
  for (const _ of "12") await new Promise(requestAnimationFrame);
  const ends = ({ effect }) => effect.getComputedTiming().endTime !== Infinity;
  await Promise.allSettled(document.getAnimations().filter(ends).map(({ finished }) => finished));
}"""
WIDE = """() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.querySelectorAll("body *")]
    .filter((node) => node.getBoundingClientRect().right > clientWidth + 1)
    .map((node) => `${node.tagName} ${node.className} ${node.getBoundingClientRect().right}`)
    .slice(0, 10);
}"""


OVERLAPPING = """(selector) => [...document.querySelectorAll(selector)].flatMap((root) => {
  // The box of a text that is cut short goes on behind what cuts it; what scrolls cuts nothing short.
  const cuts = (overflow) => overflow === "hidden" || overflow === "clip";
  const seenOf = (node) => (box) => {
    let { left, right, top, bottom } = box;
    for (let cut = node; cut !== root.parentElement; cut = cut.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(cut);
      const edge = cut.getBoundingClientRect();
      if (cuts(overflowX)) [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
      if (cuts(overflowY)) [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
    }
    return { left, right, top, bottom };
  };
  const seen = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    const text = node.data.trim();
    const around = node.parentElement;
    if (!text || around.closest(".unseen") || !around.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, right, top, bottom } of [...range.getClientRects()].map(seenOf(around))) {
      if (left >= right || top >= bottom) continue;
      // Lines of one text touch; a third of the height is the room that a font leaves over its letters.
      const slack = (bottom - top) / 3;
      seen.push({ text, left: left + 1, right: right - 1, top: top + slack, bottom: bottom - slack });
    }
  }
  const meet = (a) => (b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return seen.flatMap((a, at) =>
    seen.slice(at + 1).filter(meet(a)).map((b) => `${a.text} | ${b.text}`));
})"""


async def drawn(page: Page) -> None:
    """Wait until the page is laid out, and nothing on it is still on its way to its place or colour."""
    await page.evaluate(DRAWN)


async def violations(page: Page, scheme: Any) -> list[dict[str, Any]]:
    """Return what axe-core finds wrong in a colour scheme."""
    await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    await drawn(page)
    if not await page.evaluate("() => 'axe' in globalThis"):
        await page.evaluate(AXE_SCRIPT)
    return await page.evaluate(RUN_AXE, TAGS)


async def too_small(page: Page) -> list[str]:
    """Return the controls that are smaller than a target may be."""
    await drawn(page)
    return await page.evaluate(SMALL, LEAST_TARGET)


async def too_wide(page: Page) -> list[str]:
    """Return what makes the page scroll sideways; nothing where it does not."""
    await drawn(page)
    return await page.evaluate(WIDE)


async def overlapping(page: Page, selector: str) -> list[str]:
    """Return the pairs of texts within each element of a selector that lie over each other."""
    await drawn(page)
    return await page.evaluate(OVERLAPPING, selector)
