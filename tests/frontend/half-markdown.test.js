import assert from "node:assert/strict";
import { test } from "node:test";

import { withoutHalf } from "../../frontend/lib/markdown.js";

const same = (...texts) => texts.forEach((text) => assert.equal(withoutHalf(text), text));

test("text that is whole stays as it is", () => {
  same(
    "One paragraph.",
    "**bold** and *thin*, `code`, ~~gone~~ and [a link](https://example.com/a_(b)).",
    "snake_case_names and 2 * 3 * 4",
    "# A heading\n\n- one\n- two",
    "```python\nx = [1]\n```\n\nDone.",
    "| a | b |\n|---|---|\n| 1 | 2",
    "a < b and c > d",
    "He said [sic] that",
  );
});

test("open marks within a paragraph are closed, and empty ones left out", () => {
  assert.equal(withoutHalf("This is **bo"), "This is **bo**");
  assert.equal(withoutHalf("This is **"), "This is ");
  assert.equal(withoutHalf("This is *th"), "This is *th*");
  assert.equal(withoutHalf("Use `sor"), "Use `sor`");
  assert.equal(withoutHalf("Use `"), "Use ");
  assert.equal(withoutHalf("**a *b"), "**a *b***");
  assert.equal(withoutHalf("~~go"), "~~go~~");
  assert.equal(withoutHalf("`cod"), "`cod`");
  assert.equal(withoutHalf("**bold** and `x * y"), "**bold** and `x * y`");
});

test("link is its words until its address is whole", () => {
  for (const half of ["see [the guide", "see [the guide]", "see [the guide](", "see [the guide](https://exa"]) {
    assert.equal(withoutHalf(half), "see the guide");
  }
  assert.equal(withoutHalf("![a pict"), "a pict");
});

test("fence, list, heading line and table show nothing until recognised", () => {
  for (const half of ["`", "``", "```", "```pyth", "~~~", "-", "1", "1.", "##", "---", ">"]) {
    assert.equal(withoutHalf(`Before\n\n${half}`).trim(), "Before", half);
  }
  for (const head of ["|", "| a", "| a | b |", "| a | b |\n", "| a | b |\n|-", "| a | b |\n|---|--"]) {
    assert.equal(withoutHalf(`Before\n\n${head}`).trim(), "Before", head);
  }
});

test("half a fence shows its code and never its marks", () => {
  same("```python\nx = **2", "```\n| a |", "- item\n  ```js\n  let x", "```python\nx = `1`\ny");
  for (const marks of ["`", "``", "```"]) assert.equal(withoutHalf(`\`\`\`py\nx = 1\n${marks}`), "```py\nx = 1\n");
  assert.equal(withoutHalf("```py\nx\n```\n\nand **so"), "```py\nx\n```\n\nand **so**");
});

test("half a tag is not text", () => {
  assert.equal(withoutHalf("one<br"), "one");
  assert.equal(withoutHalf('one <a href="x'), "one ");
});

test("prefixes of a text never throw, and extend each other but for their closing marks", () => {
  const text =
    "## Head\n\nSome **bold _both_** `code` and [a](http://x.y/z).\n\n1. one\n   ```py\n   a = [1]\n   ```\n2. two\n\n" +
    "| a | b |\n|--|--|\n| *1* | `2` |\n\n> quoted ~~x~~\n\n~~~\nraw **\n~~~\n\nend_of_it * 2";
  for (let length = 0; length <= text.length; length += 1) {
    const shown = withoutHalf(text.slice(0, length));
    assert.ok(shown.length <= length + 4, `${length}: ${shown}`);
  }
  same(text);
});
