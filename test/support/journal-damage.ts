/** R3: journals cut off at any byte and with any bit flipped, opened, appended to and opened again. */
import { sampleLines } from './journal-sample';
import { user } from './journal';
import { storeIn } from './journal-faults';
import { MemoryFs } from './memory-fs';

const HOME = '/home';
const ID = 'sample';
const JOURNAL = `${HOME}/sessions/${ID}.jsonl`;
const INDEX = `${HOME}/sessions/${ID}.index`;

export interface Sample {
  journal: Buffer;
  index: Buffer;
  /** The entries: where their lines lie, and what they say. */
  entries: { id: string; start: number; end: number; json: string }[];
  /** Where the header's line ends. */
  headerEnd: number;
}

/** A journal of at least `bytes` bytes with the index that an open makes of it. */
export async function makeSample(bytes: number): Promise<Sample> {
  const fs = new MemoryFs();
  const lines = sampleLines(ID, bytes);
  const journal = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8');
  fs.put(JOURNAL, journal);
  const store = await storeIn(HOME, fs);
  await store.open(ID);
  await store.close();
  const entries: Sample['entries'] = [];
  let start = 0;
  for (const line of lines) {
    const end = start + Buffer.byteLength(line);
    const { id } = JSON.parse(line) as { id: string };
    if (start > 0) entries.push({ id, start, end, json: line });
    start = end + 1;
  }
  const index = fs.get(INDEX);
  if (!index || entries.length < 3) throw new Error('The sample has no index or too few entries');
  return { journal, index, entries, headerEnd: Buffer.byteLength(lines[0] ?? '') };
}

export interface Verdict {
  /** The store refused the file, with this message. */
  refused: string | null;
  /** Entries given out that were never written. */
  wrong: number;
  /** Entries whose bytes were all there and that were not given out. */
  lost: number;
  damage: readonly string[];
  /** The append after the damage, or an entry found at the first open, was not there at the second. */
  lostByAppend: number;
}

export interface Planted {
  journal: Buffer;
  /** Null: no index file. */
  index: Buffer | null;
  /** Ids of the entries whose bytes are all there. */
  whole: ReadonlySet<string>;
}

/** Opens what was planted, reads every entry, appends one, and opens it again. A throw of anything but a refusal passes. */
export async function tryDamaged({ entries }: Sample, { journal, index, whole }: Planted): Promise<Verdict> {
  const fs = new MemoryFs();
  fs.put(JOURNAL, journal);
  if (index) fs.put(INDEX, index);
  const first = await openOnce(fs, true);
  if (typeof first === 'string') {
    const untouched = fs.get(JOURNAL)?.equals(journal) === true;
    return { refused: first, wrong: 0, lost: untouched ? whole.size : -1, damage: [first], lostByAppend: 0 };
  }
  const written = new Map(entries.map(({ id, json }) => [id, json]));
  const wrong = first.found.filter(({ id, json }) => written.get(id) !== json).length;
  const given = new Set(first.found.map(({ id }) => id));
  const lost = [...whole].filter((id) => !given.has(id)).length;
  const second = await openOnce(fs, false);
  if (typeof second === 'string') throw new Error(`Could not be opened again: ${second}`);
  const again = new Set(second.found.map(({ id }) => id));
  const lostByAppend = [...given, first.appended].filter((id) => !again.has(id)).length;
  return { refused: null, wrong, lost, damage: first.damage, lostByAppend };
}

interface Opened {
  found: { id: string; json: string }[];
  damage: readonly string[];
  appended: string;
}

async function openOnce(fs: MemoryFs, appends: boolean): Promise<Opened | string> {
  const store = await storeIn(HOME, fs);
  try {
    const log = await store.open(ID).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'SessionError') return error.message;
      throw error;
    });
    if (typeof log === 'string') return log;
    const bodies = await log.loadBodies(log.tree.entriesInOrder().map(({ id }) => id));
    const found = bodies.map((body) => ({ id: body.id, json: JSON.stringify(body) }));
    const damage = [...log.damage];
    const [record] = appends ? await log.append([user('after the damage')]) : [];
    return { found, damage, appended: record?.entry.id ?? '' };
  } finally {
    await store.close();
  }
}

/** The journal cut off at a byte. */
export function cutAt(sample: Sample, offset: number, withIndex: boolean): Planted {
  const whole = new Set(sample.entries.filter(({ end }) => end <= offset).map(({ id }) => id));
  return { journal: sample.journal.subarray(0, offset), index: withIndex ? sample.index : null, whole };
}

/** Whether a cut leaves something to report: a line in two, or fewer lines than the index knows. */
export function isCutVisible(sample: Sample, offset: number, withIndex: boolean): boolean {
  if (offset >= sample.journal.length - 1) return false;
  const isBetweenLines = sample.entries.some(({ start, end }) => offset === start || offset === end);
  return withIndex || !(offset === 0 || isBetweenLines || offset === sample.headerEnd);
}

/** The journal with one bit flipped, beside its index. */
export function flipBit(sample: Sample, bit: number): Planted {
  const journal = Buffer.from(sample.journal);
  const at = bit >>> 3;
  journal[at] = (journal[at] ?? 0) ^ (1 << (bit & 7));
  const hit = sample.entries.filter(({ start, end }) => at < start || at >= end);
  return { journal, index: sample.index, whole: new Set(hit.map(({ id }) => id)) };
}

/** The journal beside an index with one bit flipped. */
export function flipIndexBit(sample: Sample, bit: number): Planted {
  const index = Buffer.from(sample.index);
  const at = bit >>> 3;
  index[at] = (index[at] ?? 0) ^ (1 << (bit & 7));
  return { journal: sample.journal, index, whole: new Set(sample.entries.map(({ id }) => id)) };
}
