// Fills in the page's own form, presses its button and reads what it shows, for each of a list of steps:
// {pin: text, file: base64, kept?: [base64], consistency?: base64, line?: base64, saga?: text}.

(() => {
  const element = (id) => document.getElementById(id);
  const bytesOf64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const until = async (holds) => {
    for (let left = 20000; !holds(); left -= 1) {
      if (!left) throw new Error("the page shows nothing");
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };

  function choose(id, contents) {
    const transfer = new DataTransfer();
    for (const [at, bytes] of contents.entries()) transfer.items.add(new File([bytes], `${id}-${at}`));
    element(id).files = transfer.files;
    element(id).dispatchEvent(new Event("change", { bubbles: true }));
  }

  const groups = () =>
    [...document.querySelectorAll("#result > .words:first-of-type > div")].flatMap((group) =>
      [...group.querySelectorAll(":scope > dd")].map((dd) => [group.firstChild.textContent, dd.textContent]));

  return async (steps) => {
    const shown = [];
    for (const step of steps) {
      element("pin-told").replaceChildren();
      choose("pin", [step.pin]);
      await until(() => element("pin-told").textContent !== "");
      await until(() => element("result").hidden);
      choose("file", [bytesOf64(step.file)]);
      choose("kept", (step.kept ?? []).map(bytesOf64));
      choose("consistency", step.consistency === undefined ? [] : [bytesOf64(step.consistency)]);
      choose("line-file", step.line === undefined ? [] : [bytesOf64(step.line)]);
      element("saga").value = step.saga ?? "";
      element("verify").click();
      await until(() => !element("result").hidden);
      const { verdict, reason } = element("result").dataset;
      shown.push({
        verdict,
        reason,
        heading: element("verdict").textContent,
        said: document.querySelector("#result .said").textContent,
        words: groups(),
        lines: document.querySelectorAll("#result .line").length,
        closed: document.querySelectorAll("#result .line .closed").length,
        opened: document.querySelectorAll("#result .line .opened").length,
        focused: document.activeElement.id,
        status: element("status").textContent,
        pin: element("pin-told").textContent,
      });
    }
    return shown;
  };
})()
