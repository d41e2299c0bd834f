import { applyForkItem, planFork, verifyFork, type ForkItem, type ForkPlan } from '@shared/session/fork';
import type { SessionEntry } from '@shared/session/entry';
import { OPAQUE_TYPE } from '@shared/session/opaque';
import { patchLine } from '@shared/session/patch-line';
import { serializeEntry } from '@shared/session/serialize-entry';
import type { Attachment } from '@shared/types';
import { toComposer } from '@shared/session/user-message';
import type { SessionLog, SessionStore } from '../ports';
import { randomHex } from '../random-hex';
import { SessionRefusal } from './session-refusal';

/** Records that are read and written at once. */
const BATCH = 200;
const UNREADABLE = 'Part of the session could not be read from its file. Nothing was forked; the session is unchanged.';
const UNSOUND =
  'The fork was incomplete and was moved to the trash. The session itself is unchanged. Fork at another message.';

export interface Forked {
  log: SessionLog;
  /** The message at which it was forked, if a person said it: for the composer. */
  editor: { text: string; attachments: Attachment[] };
}

export interface ForkOptions {
  workspace: string;
  title: string;
  demo: boolean;
}

/**
 * Makes a session of the path to an entry (HF3, HF5); without one, of the active path. The file is written at once, then read
 * back and every parent and boundary in it is verified. The source is only read.
 * @throws EntryNotFoundError, SessionRefusal, StorageError
 */
export async function forkSession(
  store: SessionStore,
  source: SessionLog,
  entryId: string | undefined,
  { workspace, title, demo }: ForkOptions,
): Promise<Forked> {
  const { tree, sessionId } = source;
  const targetId = entryId ?? tree.leafId;
  const options = { workspace, parentSession: sessionId, demo };
  if (targetId === null) return { log: await store.create(options), editor: { text: '', attachments: [] } };
  // The plan is made here, in one step: what is said in the source meanwhile is not part of it.
  const plan = planFork(tree, targetId, { header: source.header, randomHex });
  const editor = await editorOf(source, plan);
  if (plan.leafId === null) return { log: await store.create(options), editor };
  // One in which nothing was said yet gets its name from what will be.
  const isNamed = tree.pathTo(plan.leafId).some(({ facts }) => facts.visible);
  const log = await store.createFrom({ ...options, title: isNamed ? title : '' }, () => linesOf(source, plan.items));
  const problems = verifyFork(
    log.tree.entriesInOrder().map(({ body, facts }) => body ?? (facts as unknown as SessionEntry)),
  );
  if (problems.length === 0 && log.tree.leafId === plan.leafId) return { log, editor };
  await store.trash(log.sessionId);
  throw new SessionRefusal(UNSOUND);
}

async function editorOf(source: SessionLog, { editorEntryId }: ForkPlan): Promise<Forked['editor']> {
  const [entry] = editorEntryId === null ? [] : await source.loadBodies([editorEntryId]);
  return toComposer(entry);
}

async function* linesOf(source: SessionLog, items: readonly ForkItem[]): AsyncGenerator<string[]> {
  for (let at = 0; at < items.length; at += BATCH) {
    const batch = items.slice(at, at + BATCH);
    const ids = batch.flatMap((item) => (item.kind === 'copy' ? [item.sourceId] : []));
    const lines = new Map((await source.linesOf(ids)).map(({ id, line }) => [id, line]));
    yield batch.map((item) => (item.kind === 'new' ? serializeEntry(item.entry) : copyOf(item, source, lines)));
  }
}

/** Most records hang where they hung: their line is copied as it is. */
function copyOf(item: Extract<ForkItem, { kind: 'copy' }>, { tree }: SessionLog, lines: Map<string, string>): string {
  const line = lines.get(item.sourceId);
  const node = tree.node(item.sourceId);
  if (line === undefined || !node) throw new SessionRefusal(UNREADABLE);
  if (!item.patch && node.facts.parentId === item.parentId) return line;
  // What can't be read is moved in its text, everything else in it stays.
  if (node.facts.type === OPAQUE_TYPE) return patchLine(line, { parentId: item.parentId });
  return serializeEntry(applyForkItem(item, JSON.parse(line) as SessionEntry));
}
