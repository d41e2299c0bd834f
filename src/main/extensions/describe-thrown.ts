import type { ExtensionError } from './events';

/** Characters of a message that the log file takes: what an extension says may quote the session. */
const LOGGED_CHARS = 200;

/** Words for anything that can be thrown, also for what can't be looked at. Never throws. */
export function describeThrown(thrown: unknown): { error: string; stack?: string } {
  try {
    if (typeof thrown === 'string') return { error: thrown };
    if (!(thrown instanceof Error)) return { error: String(thrown) };
    const { message, name, stack } = thrown;
    return { error: String(message || name), ...(typeof stack === 'string' ? { stack } : {}) };
  } catch {
    return { error: 'It threw something that cannot be read.' };
  }
}

/** One report for the log file: the beginning of the message, and where it came from. */
export function logTextOf({ extensionPath, event, error, stack = '' }: ExtensionError): string {
  const [message = ''] = error.slice(0, LOGGED_CHARS).split('\n');
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [`Extension ${extensionPath}, ${event}: ${message}`, ...frames].join('\n');
}
