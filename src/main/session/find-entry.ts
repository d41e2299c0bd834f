import { beginningOf } from '@shared/beginning';
import { excerptOf } from '@shared/excerpt';
import type { FoundEntry } from '@shared/ipc/tree-types';
import type { SessionLog } from '../ports';
import { rowKindOf } from './rows';
import { wordsOfMessage } from './preview';

const MAX_PREVIEW = 140;
/** Of a summary, which can be long. */
const MAX_READ = 8000;
const ROLES = ['user', 'assistant', 'toolResult', 'custom', 'hookMessage'];

/** What a reference to an entry shows; null if the session has no such entry. Reads one body. */
export async function describeEntry(log: SessionLog, entryId: string, title: string): Promise<FoundEntry | null> {
  const { tree, sessionId } = log;
  const node = tree.node(entryId);
  if (!node) return null;
  const [entry] = await log.loadBodies([entryId]);
  const { summary } = (entry ?? {}) as { summary?: unknown };
  const text = typeof summary === 'string' ? summary : entry ? wordsOfMessage(entry, ROLES) : '';
  return {
    sessionId,
    sessionTitle: title,
    entryId,
    kind: rowKindOf(node.facts),
    preview: beginningOf(excerptOf(text.slice(0, MAX_READ)), MAX_PREVIEW),
    isOnPath: tree.commonAncestor(entryId, tree.leafId) === entryId,
  };
}
