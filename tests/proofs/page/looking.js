// What a person with a keyboard, a screen reader or weak eyes meets on the page: a list of faults, empty when there are none.

(() => {
  const faults = [];
  const seenAt = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible";
  const all = (selector) => [...document.querySelectorAll(selector)];

  if (document.documentElement.lang !== "en") faults.push("no language");
  for (const [role, count] of [["header", 1], ["main", 1], ["footer", 1], ["h1", 1], ["form[aria-label]", 1]]) {
    if (all(role).length !== count) faults.push(`${all(role).length} of ${role}`);
  }
  for (const field of all("input, textarea, select")) {
    if (!field.labels?.length || !field.labels[0].textContent.trim()) faults.push(`no label: ${field.id}`);
    for (const id of (field.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean)) {
      if (!document.getElementById(id)) faults.push(`${field.id} is described by nothing: ${id}`);
    }
  }
  for (const button of all("button, summary")) {
    if (!button.textContent.trim()) faults.push("a button without a name");
  }
  for (const region of all("section")) {
    const name = document.getElementById(region.getAttribute("aria-labelledby"));
    if (seenAt(region) && !name) faults.push(`a section without a name: ${region.id}`);
  }
  if (document.getElementById("status").getAttribute("aria-live") !== "polite") faults.push("no live region");

  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6").filter(seenAt)) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) faults.push(`heading ${own} below ${level}: ${heading.textContent}`);
    level = own;
  }
  const ids = all("[id]").map((element) => element.id);
  if (new Set(ids).size !== ids.length) faults.push("an id stands twice");

  // Contrast: WCAG 2.2, 1.4.3 and 1.4.11.
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = channels(color).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [, , , alpha = 1] = channels(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return getComputedStyle(at).backgroundColor;
      if (alpha !== 0) faults.push(`a background that shines through: ${at.className}`);
    }
    return "rgb(255, 255, 255)";
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !seenAt(element) || element.closest("script, style, noscript")) continue;
    texts += 1;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const found = ratio(style.color, behind(element));
    if (found < (large ? 3 : 4.5)) faults.push(`contrast ${found.toFixed(2)}: ${walker.currentNode.textContent.slice(0, 40)}`);
  }
  for (const field of all("input[type=text], textarea").filter(seenAt)) {
    const found = ratio(getComputedStyle(field).borderTopColor, behind(field.parentElement));
    if (found < 3) faults.push(`the border of ${field.id}: ${found.toFixed(2)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wider than the window by ${document.documentElement.scrollWidth - innerWidth}`);
  return { faults, texts };
})()
