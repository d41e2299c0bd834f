import type { SessionLog } from '../../ports';
import type { Forked } from '../branches/forks';
import type { MadeSession } from '@shared/ipc/tree-types';
import { MAX_ID_LENGTH } from '@shared/record-limits';
import { TITLE_TYPE } from '@shared/session/records/own-entries';
import type { SessionSummary } from '@shared/types';

/** The session that a file says it was forked from. What was handed off begins with a reference (HF1). */
export function forkedFrom({ header, tree }: SessionLog): string | undefined {
  const { parentSession } = header;
  if (typeof parentSession !== 'string' || parentSession.length > MAX_ID_LENGTH) return undefined;
  const isHandoff = tree
    .entriesInOrder()
    .slice(0, 8)
    .some(({ facts }) => facts.customType === 'espalier.reference');
  return isHandoff ? undefined : parentSession;
}

/** What a model was asked for by itself is no activity either. */
export function isTitle(entry: { type: string; customType?: unknown }): boolean {
  return entry.type === 'custom' && entry.customType === TITLE_TYPE;
}

export function madeOf(summary: SessionSummary, { text, attachments }: Forked['editor']): MadeSession {
  return { summary, editorText: text, ...(attachments.length > 0 ? { editorAttachments: attachments } : {}) };
}
