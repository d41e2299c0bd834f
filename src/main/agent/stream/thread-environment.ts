import { File } from 'node:buffer';
import { webcrypto } from 'node:crypto';
import type { ProxyAddress } from '@shared/policy/addresses';

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

/** Every name under which a library looks for a proxy, or for what needs none. */
const NAMES = /^(?:npm_config_)?(?:(?:https?|all|no)_?)?proxy$/i;

/** This computer, and the service of a cloud machine that tells it its own credentials: no proxy can reach either for it. */
const NEAR = 'localhost,127.0.0.1,::1,[::1],169.254.169.254,metadata.google.internal,metadata.google.internal.';

/**
 * Lets libraries that don’t use `fetch` find, in this thread’s environment, the proxy that main has found for the very request that they
 * work for, and nothing else (WN25): two requests with different ways run at once, and some read it only as they connect.
 * @param current the proxy of the request whose code is running, null for none; undefined outside of any
 */
export function installProxyEnvironment(current: () => ProxyAddress | null | undefined): void {
  const lookUp = (name: string | symbol): { value: string | undefined } | null => {
    if (typeof name !== 'string' || !NAMES.test(name)) return null;
    const proxy = current();
    return proxy === undefined ? null : { value: proxy === null ? undefined : told(name, proxy) };
  };
  process.env = new Proxy(process.env, {
    get: (real, name) => {
      const found = lookUp(name);
      return found ? found.value : (Reflect.get(real, name) as unknown);
    },
    set: (real, name, value) => Reflect.set(real, name, value),
    has: (real, name) => {
      const found = lookUp(name);
      return found ? found.value !== undefined : Reflect.has(real, name);
    },
    ownKeys: (real) => {
      const proxy = current();
      const keys = Reflect.ownKeys(real);
      if (proxy === undefined) return keys;
      const others = keys.filter((name) => typeof name !== 'string' || !NAMES.test(name));
      return proxy === null ? others : [...others, ...TOLD];
    },
    getOwnPropertyDescriptor: (real, name) => {
      const found = lookUp(name);
      if (!found) return Reflect.getOwnPropertyDescriptor(real, name);
      const { value } = found;
      return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
    },
  });
}

const TOLD = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

function told(name: string, { href }: ProxyAddress): string | undefined {
  const upper = name.toUpperCase();
  if (upper === 'NO_PROXY') return NEAR;
  return TOLD.includes(upper) ? href : undefined;
}
