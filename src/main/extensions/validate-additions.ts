import { escapeInserted } from '@shared/session/escape-marks';
import { estimateText } from '@shared/session/estimate';
import { isRecord } from '@shared/own';
import { mergePreserved } from './plain-json';

/** What extensions add to the requests of a summary (SU11). */
export interface SummaryAdditions {
  /** One line each, section tags not yet escaped. */
  additionalContext: string[];
  /** Section tags escaped. Absent: ours. */
  prompt?: string;
  /** With what was kept before. */
  preserveData: Record<string, unknown> | undefined;
}

export interface CheckedAdditions {
  additions: SummaryAdditions;
  /** What was left out, and why. */
  remarks: string[];
}

/**
 * Checks what an extension answered to `session.compacting` (EX3). Each part that can't be used is left out: the summary
 * is made without it. Never throws.
 * @param maxTokens raw tokens that the context may have, and the prompt likewise: beyond that the request might not fit
 */
export function checkAdditions(
  result: unknown,
  preserved: Record<string, unknown> | undefined,
  maxTokens: number,
): CheckedAdditions {
  const none: SummaryAdditions = { additionalContext: [], preserveData: preserved };
  try {
    if (!isRecord(result)) return { additions: none, remarks: ['The answer is not an object.'] };
    const { context, prompt, preserveData } = result;
    const remarks: string[] = [];
    const additions: SummaryAdditions = { ...none, additionalContext: linesOf(context, maxTokens, remarks) };
    const own = promptOf(prompt, maxTokens, remarks);
    if (own !== undefined) additions.prompt = escapeInserted(own);
    const merged = mergePreserved(preserved, preserveData);
    if (merged.ok) additions.preserveData = merged.value;
    else remarks.push(`${merged.problem} and was left out.`);
    return { additions, remarks };
  } catch {
    return { additions: none, remarks: ['The answer cannot be read.'] };
  }
}

function linesOf(context: unknown, maxTokens: number, remarks: string[]): string[] {
  if (context === undefined || context === null) return [];
  const isList = Array.isArray(context) && context.every((line) => typeof line === 'string');
  if (!isList) {
    remarks.push('context is not a list of strings and was left out.');
    return [];
  }
  const lines = context.flatMap((text: string) => text.split(/\r\n|[\r\n]/)).filter((line) => line.trim() !== '');
  if (estimateText(lines.join('\n')) <= maxTokens) return lines;
  remarks.push(`context has more than ${maxTokens} tokens and was left out.`);
  return [];
}

function promptOf(prompt: unknown, maxTokens: number, remarks: string[]): string | undefined {
  if (prompt === undefined || prompt === null) return undefined;
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    remarks.push('prompt is not text and was left out.');
    return undefined;
  }
  if (estimateText(prompt) <= maxTokens) return prompt;
  remarks.push(`prompt has more than ${maxTokens} tokens and was left out.`);
  return undefined;
}
