import type { App } from '../state/app-type';

/** How the turn is put down that the keyboard carries (GR32), wherever the keyboard is by now. */
const carried = new WeakMap<App, () => void>();

/** Null: nothing is carried. */
export function noteCarried(app: App, putDown: (() => void) | null): void {
  if (putDown) carried.set(app, putDown);
  else carried.delete(app);
}

/** Puts down what is carried. False: nothing is. */
export function putDownCarried(app: App): boolean {
  const putDown = carried.get(app);
  putDown?.();
  return putDown !== undefined;
}
