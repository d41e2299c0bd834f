import { isDeepStrictEqual } from 'node:util';
import type { AssistantMessage, ToolCall } from '../../pi/pi-types';
import { NO_OBJECT_REASON, SAME_ID_REASON, TOO_LARGE_REASON, UNSEALED_REASON } from '@shared/policy/call-outcome';
import type { SealRefusal, SealVerdict } from './types';

/** Largest raw arguments of one call, in bytes. A file written in one call is rarely over 200 KB. */
export const MAX_ARGUMENT_BYTES = 1024 * 1024;

/** What is known of a reply's calls beyond the message that pi-ai made of it. */
export interface SealEvidence {
  /** Raw argument text by content index, as streamed; absent = none came. */
  rawArguments: ReadonlyMap<number, string>;
  /** Whole argument text by call id, where the wire repeats it at the end (Responses). */
  finalArguments: ReadonlyMap<string, string>;
  /** Content indexes of calls that came without a name. */
  nameless: ReadonlySet<number>;
  /** The stream's end was seen, or its transport has no visible end. */
  endSeen: boolean;
  /** Chunks of calls came after the end. */
  lateToolCalls: boolean;
}

/**
 * Decides for every tool call of a reply whether its arguments are proven complete (WG3, QB5).
 * Why: pi-ai repairs cut-off JSON and reports a normal stop, and the loop runs whatever call it finds.
 */
export function sealToolCalls(message: AssistantMessage, evidence: SealEvidence): Record<string, SealVerdict> {
  const calls = message.content.flatMap((block, index) => (block.type === 'toolCall' ? [{ block, index }] : []));
  const counts = new Map<string, number>();
  for (const { block } of calls) counts.set(wireId(block), (counts.get(wireId(block)) ?? 0) + 1);
  const verdicts: [string, SealVerdict][] = calls.map(({ block, index }) => {
    if ((counts.get(wireId(block)) ?? 0) > 1) return [block.id, { ok: false, reason: 'duplicate-id' }];
    return [block.id, judgeReply(message, evidence) ?? judgeCall(block, index, evidence)];
  });
  return Object.fromEntries(verdicts);
}

/** What the model is told of a call that was not run for this. */
export function reasonOf(refusal: SealRefusal): string {
  switch (refusal) {
    case 'duplicate-id':
      return SAME_ID_REASON;
    case 'too-large':
      return TOO_LARGE_REASON;
    case 'not-an-object':
      return NO_OBJECT_REASON;
    default:
      return UNSEALED_REASON;
  }
}

/** The id that the provider matches results by; pi-ai joins it with an item id on the Responses wire. */
function wireId(call: ToolCall): string {
  return call.id.split('|')[0] ?? call.id;
}

function judgeReply(message: AssistantMessage, evidence: SealEvidence): SealVerdict | null {
  if (!evidence.endSeen) return { ok: false, reason: 'cut-stream' };
  if (evidence.lateToolCalls) return { ok: false, reason: 'after-end' };
  const finished = message.stopReason === 'toolUse' || message.stopReason === 'stop';
  return finished ? null : { ok: false, reason: 'not-finished' };
}

function judgeCall(call: ToolCall, index: number, evidence: SealEvidence): SealVerdict {
  if (evidence.nameless.has(index)) return { ok: false, reason: 'no-name' };
  const streamed = judgeArguments(evidence.rawArguments.get(index) ?? '', call);
  if (streamed.ok) return streamed;
  const final = evidence.finalArguments.get(call.id);
  const repeated = final === undefined ? streamed : judgeArguments(final, call);
  return repeated.ok ? repeated : streamed;
}

function judgeArguments(raw: string, call: ToolCall): SealVerdict {
  if (Buffer.byteLength(raw) > MAX_ARGUMENT_BYTES) return { ok: false, reason: 'too-large' };
  let parsed: unknown;
  try {
    parsed = raw.trim() === '' ? {} : JSON.parse(raw);
  } catch {
    return { ok: false, reason: 'invalid-json' };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return { ok: false, reason: 'not-an-object' };
  return isDeepStrictEqual(parsed, call.arguments) ? { ok: true } : { ok: false, reason: 'mismatch' };
}
