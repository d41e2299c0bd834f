/** Milliseconds after the start: by then the last session is shown. */
const BEGIN_MS = 3_000;
/** While more characters are on the page it is not the time. */
const SMALL_PAGE = 20_000;
/** Milliseconds until a large page is looked at again. */
const AGAIN_MS = 10_000;

/**
 * Fetches the faces that nothing on the page has needed yet, one by one, while the window is idle and little is shown. When a face
 * arrives everything on the page is laid out again: in the middle of a very long reply that takes a tenth of a second.
 */
export function fetchFontsAhead(page: Document): void {
  const faces = [...page.fonts];
  const next = (): void => {
    const face = faces.find(({ status }) => status === 'unloaded');
    if (!face) return;
    if ((page.body.textContent?.length ?? 0) > SMALL_PAGE) return wait(AGAIN_MS);
    // A face that can't be read stays what it would be without this: its letters are drawn in another.
    void face.load().then(whenIdle, whenIdle);
  };
  const whenIdle = (): void => void requestIdleCallback(next);
  const wait = (ms: number): void => void setTimeout(whenIdle, ms);
  wait(BEGIN_MS);
}
