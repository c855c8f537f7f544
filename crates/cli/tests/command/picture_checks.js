// Uses the page as a reader does and writes what did not hold into an output element named checks. What is expected of
// its names stands in window.expected: `sought` by kind (text, and how what is found begins), `passed` by a channel's
// paths, and `ends` of paths.
"use strict";
{
  const expected = window.expected;
  const failures = [];
  const check = (holds, words) => { if (!holds) failures.push(words); };
  const all = (selector) => [...document.querySelectorAll(selector)];
  const items = () => all(".item:not(.folded)");
  const labels = () => items().map((item) => item.querySelector("text").textContent);
  const click = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const press = (element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const edges = () => all("#edges .edge");
  const told = () => document.getElementById("told").textContent;
  const search = document.getElementById("search");
  const find = (text) => { search.value = text; search.dispatchEvent(new Event("input")); };
  const lit = () => all(".item.lit:not(.folded)").map((item) => item.getAttribute("aria-label"));

  function nothingOverflows(when) {
    const page = document.documentElement;
    check(page.scrollWidth <= page.clientWidth, `${when}: the page is ${page.scrollWidth} wide`);
    const picture = document.getElementById("topology-picture").getBoundingClientRect();
    for (const item of items()) {
      const box = item.querySelector(".box").getBoundingClientRect();
      const [name, figure] = [...item.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
      const fits = name.right <= (figure.width ? figure.left : box.right) && figure.right <= box.right;
      check(fits, `${when}: the text of ${item.getAttribute("aria-label")} does not fit`);
      const inside = box.left >= picture.left && box.right <= picture.right && box.bottom <= picture.bottom + 1;
      check(inside, `${when}: ${item.getAttribute("aria-label")} is outside the picture`);
    }
    const boxes = items().map((item) => item.querySelector(".box").getBoundingClientRect());
    const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const pairs = boxes.some((a, at) => boxes.slice(at + 1).some((b) => overlap(a, b)));
    check(!pairs, `${when}: boxes overlap`);
  }

  function textIsLargeEnough() {
    for (const element of all("body *")) {
      const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (!own || ["SCRIPT", "STYLE", "title"].includes(element.tagName)) continue;
      const scale = element.getScreenCTM && element.ownerSVGElement ? element.getScreenCTM().a : 1;
      const size = parseFloat(getComputedStyle(element).fontSize) * scale;
      check(size >= 12 || !size, `text of ${size} px: ${element.textContent.slice(0, 40)}`);
    }
  }

  function everyPictureHasWords() {
    const silent = all("svg").filter((svg) => !svg.getAttribute("aria-label") && svg.getAttribute("aria-hidden") !== "true");
    check(silent.length === 0, `${silent.length} pictures have no words`);
    check(all("table").every((table) => table.caption), "a table has no caption");
  }

  function groupsFoldAndUnfold() {
    const group = all('.group[aria-expanded="false"]')[0];
    if (!group) return check(false, "no group is folded");
    const before = items().length;
    click(group);
    check(group.getAttribute("aria-expanded") === "true", "a click unfolds a group");
    check(items().length > before + 1, "an unfolded group shows its members");
    check(new Set(edges().map((edge) => edge.dataset.e)).size === edges().length, "no edge is drawn twice");
    press(group, "Enter");
    check(items().length === before, "Enter folds it again");
    click(document.getElementById("unfold"));
    check(items().length === all(".item").length, "everything can be unfolded");
    nothingOverflows("unfolded");
    click(document.getElementById("fold"));
    check(all('.group[aria-expanded="true"]').length === 0, "everything can be folded");
    nothingOverflows("folded");
  }

  function aPathIsFollowed() {
    click(document.getElementById("unfold"));
    const channel = items().find((item) => /^CHPID /.test(item.getAttribute("aria-label")));
    click(channel);
    const found = lit();
    check(told().startsWith(channel.getAttribute("aria-label")), "what was clicked is told");
    check(new RegExp(expected.passed).test(told()), `its paths are told: ${told()}`);
    check(found.filter((words) => /^CHPID /.test(words)).length === 1, "one channel is on its own paths");
    check(expected.ends.every((kind) => found.some((words) => words.startsWith(kind))), "paths lead on");
    check(found.length < items().length, "not everything is on them");
    check(edges().some((edge) => edge.classList.contains("lit")), "edges are lit");
    press(document.body, "Escape");
    check(lit().length === 0 && !told().startsWith("CHPID"), "Esc lets go");
    click(document.getElementById("fold"));
  }

  function thingsAreFound() {
    for (const [kind, [text, words]] of Object.entries(expected.sought)) {
      find(text);
      check(/^[1-9][0-9]* found/.test(told()) && told().includes(text.replace(/\w$/, "")), `${kind} ${text}: ${told()}`);
      check(lit().some((label) => new RegExp(words).test(label)), `${kind} ${text} is not lit`);
    }
    find("no such thing");
    check(told().startsWith("Nothing is called"), "what is not there is said");
    press(document.body, "Escape");
    check(search.value === "", "Esc empties the search");
  }

  check(labels().length > 10, "the picture has boxes");
  check(document.getElementById("controls").hidden === false, "the script ran");
  nothingOverflows("at first");
  textIsLargeEnough();
  everyPictureHasWords();
  groupsFoldAndUnfold();
  aPathIsFollowed();
  thingsAreFound();
  const output = document.createElement("output");
  output.id = "checks";
  output.textContent = failures.length ? failures.join("\n") : "all held";
  document.body.append(output);
}
