import type { Usage } from '@shared/session/entry';
import { isRecord } from '@shared/own';
import { plainJson } from './plain-json';
import { usageOf } from './validate-compaction';

/** Characters of what an extension asks the summariser: as much as a person may. */
const MAX_INSTRUCTIONS = 50_000;
const MAX_LABEL = 200;

/** What an extension answered to `session_before_tree`, as far as it can be used. */
export interface CheckedTreeAnswer {
  summary?: { summary: string; details: unknown; usage: Usage | undefined };
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
  /** What was left out, and why. */
  remarks: string[];
}

/** Checks an answer to `session_before_tree` (EX3). Each part that can't be used is left out. Never throws. */
export function checkTreeAnswer(result: unknown): CheckedTreeAnswer {
  try {
    if (!isRecord(result)) return { remarks: ['The answer is not an object.'] };
    // Each field is read once: a getter could give another value the next time.
    const { summary, customInstructions, replaceInstructions, label } = result;
    const remarks: string[] = [];
    const checked: CheckedTreeAnswer = { remarks };
    const take = <T>(name: string, value: unknown, read: (value: unknown) => T | undefined): T | undefined => {
      if (value === undefined || value === null) return undefined;
      const found = read(value);
      if (found === undefined) remarks.push(`${name} is not valid and was left out.`);
      return found;
    };
    const written = take('summary', summary, summaryOf);
    const instructions = take('customInstructions', customInstructions, textUpTo(MAX_INSTRUCTIONS));
    const replaces = take('replaceInstructions', replaceInstructions, (it) =>
      typeof it === 'boolean' ? it : undefined,
    );
    const name = take('label', label, textUpTo(MAX_LABEL));
    if (written) checked.summary = written;
    if (instructions !== undefined) checked.customInstructions = instructions;
    if (replaces !== undefined) checked.replaceInstructions = replaces;
    if (name !== undefined) checked.label = name;
    return checked;
  } catch {
    return { remarks: ['The answer cannot be read.'] };
  }
}

function textUpTo(length: number): (value: unknown) => string | undefined {
  return (value) => (typeof value === 'string' && value.length <= length ? value : undefined);
}

function summaryOf(given: unknown): CheckedTreeAnswer['summary'] | undefined {
  if (!isRecord(given)) return undefined;
  const { summary, details, usage } = given;
  if (typeof summary !== 'string' || summary.trim() === '') return undefined;
  const stored = plainJson(details);
  return stored.ok ? { summary, details: stored.value, usage: usageOf(usage) } : undefined;
}
