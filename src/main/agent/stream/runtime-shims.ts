import { File } from 'node:buffer';
import { webcrypto } from 'node:crypto';

/** Aborts with the first of the given signals, as `AbortSignal.any` does on newer runtimes. */
function anySignal(signals: Iterable<AbortSignal>): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) {
      controller.abort(signal.reason);
      break;
    }
    signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true, signal: controller.signal });
  }
  return controller.signal;
}

function define(target: object, name: string, value: unknown): void {
  if (name in target && Reflect.get(target, name) !== undefined) return;
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

/**
 * Adds what provider SDKs expect of a newer runtime and Node 18 (Electron 25) lacks in main and in workers, and keeps
 * them from printing pieces of replies to the console: what went wrong is in the error.
 */
export function installRuntimeShims(): void {
  process.env.OPENAI_LOG ??= 'off';
  process.env.ANTHROPIC_LOG ??= 'off';
  define(globalThis, 'crypto', webcrypto);
  define(globalThis, 'File', File);
  define(AbortSignal, 'any', anySignal);
}
