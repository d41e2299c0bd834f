import type { ProjectedMessage } from './entry';
import { estimateRaw } from './estimate';
import { isValidReply, replyFacts } from './facts';

/** What `estimateContext` answers: tokens. */
export interface ContextEstimate {
  tokens: number;
  usageTokens: number;
  trailingTokens: number;
  lastUsageIndex: number | null;
}

/** Usage of the last valid reply plus raw estimates after it, else the raw sum; no ratio, no overhead (TK4). */
export function estimateContext(messages: readonly ProjectedMessage[]): ContextEstimate {
  let trailingTokens = 0;
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i] as ProjectedMessage;
    const reply = message.role === 'assistant' ? replyFacts({ ...message }) : undefined;
    if (isValidReply(reply)) {
      const { usageTokens } = reply;
      return { tokens: usageTokens + trailingTokens, usageTokens, trailingTokens, lastUsageIndex: i };
    }
    trailingTokens += estimateRaw(message);
  }
  return { tokens: trailingTokens, usageTokens: 0, trailingTokens, lastUsageIndex: null };
}

export { estimateRaw } from './estimate';
export { breakdown, largestItems } from './breakdown';
export type { Breakdown, LargeItem } from './breakdown';
export { sessionFigure } from './figure';
export type { FigureOptions, SessionFigure } from './figure';
export { estimateOverhead, NO_OVERHEAD, overheadInForce } from './overhead';
export type { Overhead } from './overhead';
export { ratioFor } from './ratio';
