import { beginningOf } from '@shared/beginning';
import { excerptOf } from '@shared/excerpt';
import type { SessionEntry } from '@shared/session/entry';
import { blocksOf, isText } from '@shared/session/message-text';
import { isRecord } from '@shared/own';
import type { SessionTree } from '@shared/session/tree';
import type { TreeNode } from '@shared/session/tree-node';
import type { SessionLog, SessionMeta } from '../ports';
import { pause } from './line-reader';
import { boundedMeta } from './session-meta';

const PREVIEW_CHARS = 160;
const TITLE_CHARS = 80;
/** Entries that are walked without giving way: some milliseconds where none of them is in the cache. */
const STEP = 10_000;

/**
 * The sidecar of a session as its journal gives it: name, first words, times. For imports, and for a sidecar that was lost
 * (then pinned, archived and the workspace are lost with it).
 */
export async function describeSession(log: SessionLog, now: number): Promise<SessionMeta> {
  const { tree, header } = log;
  const { firstUser, newest } = await saidOn(tree, tree.leafId);
  const ids = [firstUser, newest].flatMap((node) => node?.id ?? []);
  const bodies = new Map((await log.loadBodies(ids)).map((entry) => [entry.id, entry]));
  const textAt = (id: string | undefined): string => previewOf(id === undefined ? undefined : bodies.get(id));
  const entries = tree.entriesInOrder();
  // A name is no activity (WN10).
  let last = entries.length - 1;
  while (last > 0 && entries[last]?.facts.type === 'session_info') last -= 1;
  const times = [entries.at(0), entries[last]].map((node) => node?.facts.timestampMs);
  const created = firstNumber(Date.parse(header.timestamp), times[0], now);
  const given = tree.name ?? (typeof header.title === 'string' ? header.title.trim() : '');
  return boundedMeta({
    title: given || beginningOf(textAt(firstUser?.id), TITLE_CHARS),
    titleSource: given ? 'person' : firstUser ? 'auto' : 'none',
    // The file's word, not the person's: it may come from anywhere.
    workspace: '',
    ...(typeof header.cwd === 'string' && header.cwd !== '' ? { suggestion: header.cwd } : {}),
    pinned: false,
    archived: false,
    createdAt: created,
    updatedAt: firstNumber(times[1], created),
    preview: beginningOf(textAt(newest?.id), PREVIEW_CHARS),
    demo: false,
  });
}

/**
 * The first prompt of a path and the newest prompt or reply, with the state of the path worked out on the way: what opens the
 * session next finds it there. A path of a million entries is walked in pieces.
 */
async function saidOn(tree: SessionTree, leafId: string | null): Promise<{ firstUser?: TreeNode; newest?: TreeNode }> {
  let firstUser: TreeNode | undefined;
  let newest: TreeNode | undefined;
  const pieces: TreeNode[] = [];
  let walked = 0;
  for (let node = (leafId === null ? undefined : tree.node(leafId)) ?? null; node; node = node.parent) {
    if (walked++ % STEP === 0) {
      pieces.push(node);
      await pause();
    }
    const { visible, role } = node.facts;
    if (!visible) continue;
    if (role === 'user') firstUser = node;
    if (role === 'user' || role === 'assistant') newest ??= node;
  }
  for (const node of pieces.reverse()) {
    tree.stateOf(node);
    await pause();
  }
  return { firstUser, newest };
}

function firstNumber(...candidates: (number | undefined)[]): number {
  return candidates.find((value) => value !== undefined && Number.isFinite(value)) ?? 0;
}

function previewOf(entry: SessionEntry | undefined): string {
  const message = (entry as { message?: unknown } | undefined)?.message;
  const blocks = isRecord(message) ? blocksOf(message.content).filter(isText) : [];
  const text = blocks.map((block) => ('text' in block ? block.text : '')).join('\n');
  return excerptOf(text.slice(0, 4 * PREVIEW_CHARS));
}
