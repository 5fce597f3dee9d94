// Live values: the server says what changed, this puts it in place. Without it every page still works.
"use strict";

(() => {
  if (!document.querySelector("[data-live]")) return;

  const show = (values) => {
    for (const element of document.querySelectorAll("[data-live]")) {
      const value = values[element.dataset.live];
      if (value !== undefined && element.textContent !== value) element.textContent = value;
    }
  };

  const refresh = async (part) => {
    // Whoever is about to press a button here must not lose it.
    if (part.contains(document.activeElement) || document.hidden) return;
    const answer = await fetch(part.dataset.part, { credentials: "same-origin" });
    if (!answer.ok || answer.redirected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!part.contains(document.activeElement)) part.replaceChildren(...fresh.body.childNodes);
  };

  const source = new EventSource("/api/v1/live");
  source.addEventListener("values", (event) => show(JSON.parse(event.data)));
  source.addEventListener("part", () => {
    for (const part of document.querySelectorAll("[data-part]")) refresh(part).catch(() => {});
  });
  source.addEventListener("error", () => show({ state: "no connection" }));
  addEventListener("pagehide", () => source.close());
})();
