import { z } from 'zod';
import type { SessionLog, SessionMeta } from '../../ports';
import { type JournalFs, moveIfThere } from '../file/fs';
import { pause } from '../file/line-reader';
import { isRecord } from '@shared/checks';
import { beginningOf, MAX_NAME_CHARS } from '@shared/cut-text';
import { excerptOf } from '@shared/excerpt';
import { MAX_PATH_CHARS } from '@shared/limits';
import { listedTitle } from '@shared/policy/session-title';
import { MAX_ID_LENGTH } from '@shared/record-limits';
import type { SessionEntry } from '@shared/session/records/entry';
import { blocksOf, isText, listedWords } from '@shared/session/records/message-text';
import { TITLE_TYPE } from '@shared/session/records/own-entries';
import type { TreeNode } from '@shared/session/records/tree-node';
import type { SessionTree } from '@shared/session/tree/tree';

/** A text as it is listed, by what cuts it. Copied: a part of a string keeps the whole of it in memory. */
const cut = (by: (text: string) => string) =>
  z.string().transform((text) => (text.length > MAX_NAME_CHARS ? structuredClone(by(text)) : text));

/** A folder that no system can name is none: what is left of its path would be another folder. */
const canBePath = (path: string): boolean => path.length <= MAX_PATH_CHARS;

const sessionId = z.string().max(MAX_ID_LENGTH);

/** Unix milliseconds that are a date: of the first and the last one where it is none. */
const time = z.number().transform((ms) => Math.min(Math.max(ms, 0), LAST_DATE));
/** The last that a `Date` can be. */
const LAST_DATE = 8.64e15;

/**
 * What is known of a session and may come from anywhere: a sidecar, a journal's name, header and first words. Each text has a bound here,
 * because the window is sent those of all sessions at the start (JN46).
 */
export const metaSchema = z.object({
  title: cut(listedTitle),
  titleSource: z.enum(['none', 'auto', 'person']),
  workspace: z.string().transform((path) => (canBePath(path) ? path : '')),
  suggestion: z
    .string()
    .optional()
    .transform((path) => (path !== undefined && canBePath(path) ? path : undefined)),
  pinned: z.boolean(),
  archived: z.boolean(),
  createdAt: time,
  updatedAt: time,
  preview: cut((text) => beginningOf(text, MAX_NAME_CHARS)),
  demo: z.boolean(),
  tour: z.boolean().optional().catch(undefined),
  fork: z
    .object({ of: sessionId, at: sessionId.optional(), title: cut(listedTitle) })
    .optional()
    .catch(undefined),
  conflict: z
    .object({
      with: sessionId,
      there: z.number(),
      here: z.number(),
      since: time.nullable(),
      sharesNothing: z.boolean().optional(),
      isRead: z.boolean(),
      fileOf: sessionId.optional(),
      isCopy: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
}) satisfies z.ZodType<SessionMeta>;

/**
 * What was made of a message shows no Markdown (TS14): sidecars of older versions hold it as it was written. A person's title stays as
 * they typed it.
 */
const readable = metaSchema.transform((meta) => ({
  ...meta,
  title: meta.titleSource === 'person' ? meta.title : excerptOf(meta.title),
  preview: excerptOf(meta.preview),
}));

/** What a journal tells of its session, within the bounds of a sidecar (JN46). */
function boundedMeta(meta: SessionMeta): SessionMeta {
  return metaSchema.parse(meta);
}

/** What is known of a session before anything was said in it. `now`: Unix milliseconds. */
export function emptyMeta(workspace: string, now: number): SessionMeta {
  return {
    ...{ title: '', titleSource: 'none', workspace, pinned: false, archived: false },
    ...{ createdAt: now, updatedAt: now, preview: '', demo: false },
  };
}

/** Whether nothing that was said was noted in it yet: it is written with the journal's first lines, and what they say a while later. */
export function isUnnoted({ title, preview, createdAt, updatedAt }: SessionMeta): boolean {
  return title === '' && preview === '' && updatedAt === createdAt;
}

/** A sidecar as it was found. */
interface MetaRead {
  /** Null if it is missing or not whole: what is missing is made from the journal then. */
  meta: SessionMeta | null;
  /** Of one that is not whole, what can be used. */
  rest: Partial<SessionMeta>;
  isDamaged: boolean;
  /** Where it could not be kept as it was: keeps it, and is to be awaited before anything takes its place. Rejects as long as it can't. */
  keep?: () => Promise<void>;
}

/** Reads a sidecar, whatever became of it. One that is not whole is kept beside its place as it was, now or later. Never throws. */
export async function readMetaParts(fs: JournalFs, path: string, now: number): Promise<MetaRead> {
  const aside = `${path}.bad-${now}`;
  let text: string | null;
  try {
    text = await fs.readText(path);
  } catch {
    return {
      meta: null,
      rest: {},
      isDamaged: true,
      ...(await keepNow(async () => void (await moveIfThere(fs, path, aside)))),
    };
  }
  if (text === null) return { meta: null, rest: {}, isDamaged: false };
  const stored = parseJson(text);
  const whole = readable.safeParse(stored);
  if (whole.success) return { meta: whole.data, rest: {}, isDamaged: false };
  return { meta: null, rest: usable(stored), isDamaged: true, ...(await keepNow(() => fs.writeText(aside, text))) };
}

async function keepNow(keep: () => Promise<void>): Promise<Pick<MetaRead, 'keep'>> {
  return keep().then(
    () => ({}),
    () => ({ keep }),
  );
}

/** Reads a sidecar; null if it is missing or not whole. */
export async function readMeta(fs: JournalFs, path: string): Promise<SessionMeta | null> {
  const text = await fs.readText(path).catch(() => null);
  return text === null ? null : (readable.safeParse(parseJson(text)).data ?? null);
}

function usable(stored: unknown): Partial<SessionMeta> {
  if (typeof stored !== 'object' || stored === null) return {};
  const fields = Object.entries(metaSchema.shape).flatMap(([name, field]) => {
    const value = Object.hasOwn(stored, name) ? field.safeParse((stored as Record<string, unknown>)[name]) : null;
    return value?.success ? [[name, value.data] as const] : [];
  });
  return Object.fromEntries(fields) as Partial<SessionMeta>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
  while (last > 0 && isName(entries[last])) last -= 1;
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

function isName(node: TreeNode | undefined): boolean {
  return node?.facts.type === 'session_info' || node?.facts.customType === TITLE_TYPE;
}

function firstNumber(...candidates: (number | undefined)[]): number {
  return candidates.find((value) => value !== undefined && Number.isFinite(value)) ?? 0;
}

function previewOf(entry: SessionEntry | undefined): string {
  const message = (entry as { message?: unknown } | undefined)?.message;
  const { role, content } = isRecord(message) ? message : {};
  const blocks = blocksOf(content).filter(isText);
  const text = role === 'user' ? listedWords(content) : blocks.map((block) => block.text).join('\n');
  return excerptOf(text.slice(0, 4 * PREVIEW_CHARS));
}
