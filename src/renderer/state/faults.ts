/** What fails in the window: told to main's log, and put into words that a person can pass on. */
import type { Client } from '../bridge';

/** Reports a window sends in its life: what fails in each frame must not fill the log. */
const MAX_REPORTS = 50;
const MAX_CHARACTERS = 6_000;

export type ReportFault = (where: string, error: unknown, componentStack?: string) => void;

/** Sends failures to main's log. It never throws and tells each of them once. */
export function createFaultReporter(client: Client): ReportFault {
  const told = new Set<string>();
  return (where, error, componentStack = '') => {
    const text = placesOf(error, componentStack);
    const key = `${where}\n${text}`;
    if (told.has(key) || told.size >= MAX_REPORTS) return;
    told.add(key);
    client.request('app.reportFault', { where: where.slice(0, 80), text }).catch(() => undefined);
  };
}

/** The kind of an error and where it came from. Its message is left out: it can quote what somebody wrote. */
function placesOf(error: unknown, componentStack: string): string {
  const name = error instanceof Error ? error.name : typeof error;
  return `${name}\n${framesOf(error)}${componentStack}`.slice(0, MAX_CHARACTERS);
}

/** A description for a bug report, with the error's own message. */
export function describeFault(where: string, error: unknown, version: string): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `Espalier ${version}: ${where} could not be drawn\n${message}\n${framesOf(error)}`.slice(0, MAX_CHARACTERS);
}

function framesOf(error: unknown): string {
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return frames.length > 0 ? `${frames.slice(0, 12).join('\n')}\n` : '';
}
