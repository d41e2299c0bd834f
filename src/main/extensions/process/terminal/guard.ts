import { type Component, truncateToWidth, visibleWidth } from '@mariozechner/pi-tui';

/** Lines that a component may draw; the end of them is kept of what is less absurd. */
const MAX_LINES = 10_000;
const KEPT_LINES = 600;
/** Characters of a line, with its colours. */
const MAX_LINE = 40_000;

/** The lines of a component, within its width. Throws in words for what are none. O(what is kept). */
export function fittingLines(drawn: unknown, width: number): string[] {
  if (!Array.isArray(drawn)) throw new TypeError('Its component drew no list of lines.');
  if (drawn.length > MAX_LINES)
    throw new RangeError(
      `Its component drew ${drawn.length.toLocaleString('en')} lines. At most ${MAX_LINES.toLocaleString('en')} can be shown.`,
    );
  return drawn.slice(-KEPT_LINES).map((line) => {
    const text = String(line).slice(0, MAX_LINE);
    return visibleWidth(text) > width ? truncateToWidth(text, width, '') : text;
  });
}

const guarded = new WeakSet<object>();

/** From now on a component draws within its width, and what it throws goes to `fail`; it draws nothing then. The same object. */
export function guard<C extends Component>(component: C, fail: (error: unknown) => void): C {
  if (typeof component?.render !== 'function')
    throw new TypeError('A component is an object with a function `render`.');
  if (guarded.has(component)) return component;
  guarded.add(component);
  const render = component.render;
  const safe = (width: number): string[] => {
    try {
      return fittingLines(render.call(component, width), width);
    } catch (error) {
      fail(error);
      return [];
    }
  };
  Object.defineProperty(component, 'render', { value: safe, configurable: true, writable: true });
  // Some leave it out, and pi-tui calls it.
  if (typeof component.invalidate !== 'function') component.invalidate = () => undefined;
  return component;
}
