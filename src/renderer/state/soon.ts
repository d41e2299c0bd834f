/** Milliseconds that the first screen waits for what the window remembers. */
const MAX_WAIT_MS = 1000;

/** The value if it comes soon enough for the first screen, else undefined. */
export function soon<T>(value: Promise<T>): Promise<T | undefined> {
  return Promise.race([value, new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), MAX_WAIT_MS))]);
}
