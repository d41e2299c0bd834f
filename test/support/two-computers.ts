import type { JournalFs } from '../../src/main/journal/file/fs';
import { seededRandom } from '../bench/sessions';
import { Computer } from './computer';
import { FailingFs } from './failing-fs';
import { MemoryFs } from './memory-fs';

const HOME = '/home';
const SESSIONS = `${HOME}/sessions`;
const SIDECARS = ['index', 'meta.json', 'queue.json'];

export interface History {
  seed: number;
  /** What happened, for a person who looks for the reason of a problem. */
  steps: string[];
  /** What must not be: entries missing, sessions twice, a conflict that nobody was told of. */
  problems: string[];
  entries: number;
  conflicts: number;
}

interface Side {
  computer: Computer;
  fs: MemoryFs;
  /** Ids of the entries that were shown as saved here. */
  said: Set<string>;
  /** Sessions that came from the other computer: what became of them there was told there. */
  received: Set<string>;
  isRunning: boolean;
}

/**
 * A random history of two computers that share a folder through a program that copies files as it likes: swaps with and without
 * sidecars, cut and removed files, conflict copies, lost indexes and databases, deaths of window and main between any two steps.
 * At its end both are started in peace, twice, and everything that was saved on a computer must be shown on it.
 */
export async function runHistory(seed: number, length = 14): Promise<History> {
  const random = seededRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const chance = (share: number): boolean => random() < share;
  const hex = (digits: number): string => Array.from({ length: digits }, () => below(16).toString(16)).join('');
  let now = Date.UTC(2026, 0, 1);
  const history: History = { seed, steps: [], problems: [], entries: 0, conflicts: 0 };
  const newSide = (name: string): Side => ({
    computer: new Computer(name, HOME, () => (now += 1000), hex),
    fs: new MemoryFs(),
    said: new Set(),
    received: new Set(),
    isRunning: false,
  });
  const sides: [Side, Side] = [newSide('a'), newSide('b')];
  const note = (step: string): void => void history.steps.push(step);
  let texts = 0;

  const start = async (side: Side, peace = false): Promise<void> => {
    if (side.isRunning) return;
    const death = !peace && chance(0.3) ? { atRequest: below(8) } : null;
    const isMainDying = !peace && death === null && chance(0.25);
    const fault = { at: 1 + below(120), kind: 'EIO', stays: true } as const;
    const fs: JournalFs = isMainDying ? new FailingFs(fault, side.fs) : side.fs;
    note(
      `${side.computer.name} starts${death ? `, its window dies at request ${death.atRequest}` : ''}${isMainDying ? `, its disk fails at call ${fault.at}` : ''}`,
    );
    side.isRunning = true;
    const isUp = await side.computer.start(fs, death).then(
      () => true,
      () => false,
    );
    if (!isUp || death || isMainDying) {
      await side.computer.stop(true).catch(() => undefined);
      side.isRunning = false;
    }
  };
  const stop = async (side: Side): Promise<void> => {
    if (!side.isRunning) return;
    const dies = chance(0.3);
    note(`${side.computer.name} ${dies ? 'dies' : 'stops'}`);
    await side.computer.stop(dies);
    side.isRunning = false;
  };
  const sessionsOn = async ({ fs }: Side): Promise<string[]> =>
    (await fs.list(SESSIONS)).flatMap((name) => /^([0-9a-f-]{36})\.jsonl$/.exec(name)?.[1] ?? []);
  const pick = async (side: Side): Promise<string | undefined> => {
    const ids = (await sessionsOn(side)).sort();
    return ids[below(ids.length)];
  };

  const say = async (side: Side): Promise<void> => {
    await start(side);
    if (!side.isRunning) return;
    const id = await pick(side);
    const words = Array.from({ length: 1 + below(4) }, () => `${side.computer.name}${++texts}${'.'.repeat(below(40))}`);
    if (id === undefined) {
      note(`${side.computer.name} begins a session`);
      for (const entry of (await side.computer.create(words)).ids) side.said.add(entry);
      await side.computer.settle();
      return;
    }
    note(`${side.computer.name} says ${words.length} in ${id.slice(0, 4)}`);
    // A file that can't be read or written at the moment is told, and nothing is saved.
    const ids = await side.computer.say(id, words).catch((error: unknown) => void note(String(error)));
    for (const entry of ids ?? []) side.said.add(entry);
  };

  /** The other program brings a file of the other computer, whole or cut, with or without what lies beside it. */
  const swap = async (to: Side, from: Side): Promise<void> => {
    const id = await pick(from);
    if (id === undefined) return;
    const bytes = from.fs.get(`${SESSIONS}/${id}.jsonl`);
    if (!bytes) return;
    const cut = chance(0.2) ? bytes.subarray(0, 1 + below(bytes.length)) : bytes;
    const isAside = chance(0.2);
    const suffix = ['.sync-conflict-20260101-120000-ABCDEFG', ' (conflicted copy)', '-DESKTOP-1AB'][below(3)] ?? '';
    note(
      `${to.computer.name} gets ${id.slice(0, 4)}${cut.length < bytes.length ? ', cut' : ''}${isAside ? ` as${suffix}` : ''}`,
    );
    if (!to.fs.get(`${SESSIONS}/${id}.jsonl`)) to.received.add(id);
    if (isAside || chance(0.5)) to.fs.put(`${SESSIONS}/${id}${isAside ? suffix : ''}.jsonl`, cut);
    else to.fs.overwrite(`${SESSIONS}/${id}.jsonl`, cut);
    if (isAside) return;
    for (const sidecar of SIDECARS) {
      const other = from.fs.get(`${SESSIONS}/${id}.${sidecar}`);
      if (!other || !chance(0.4)) continue;
      to.fs.put(`${SESSIONS}/${id}.${sidecar}`, other);
      // As where it is removed (`harm`): what was told once and not read yet stood in the one that is replaced.
      if (sidecar === 'meta.json') to.received.add(id);
    }
  };
  /** Something happens to a file while the app is closed, so that the database has all that was said. */
  const harm = async (side: Side): Promise<void> => {
    const id = await pick(side);
    if (id === undefined) return;
    const path = `${SESSIONS}/${id}.jsonl`;
    const bytes = side.fs.get(path) ?? Buffer.alloc(0);
    const kind = below(4);
    note(
      `${side.computer.name}: ${id.slice(0, 4)} ${['is cut', 'is removed', 'loses its index', 'loses its sidecar'][kind]}`,
    );
    if (kind === 0) side.fs.put(path, bytes.subarray(0, below(bytes.length)));
    if (kind === 1) await side.fs.remove(path);
    if (kind === 2) await side.fs.remove(`${SESSIONS}/${id}.index`);
    // What was to be told is lost with it.
    if (kind === 3) side.received.add(id);
    if (kind === 3) await side.fs.remove(`${SESSIONS}/${id}.meta.json`);
  };

  // Most histories begin with a session that both have.
  if (chance(0.8)) {
    await say(sides[0]);
    await stop(sides[0]);
    for (const name of await sides[0].fs.list(SESSIONS))
      sides[1].fs.put(`${SESSIONS}/${name}`, sides[0].fs.get(`${SESSIONS}/${name}`) ?? Buffer.alloc(0));
    for (const id of await sessionsOn(sides[1])) sides[1].received.add(id);
    for (const side of sides) await say(side);
  }
  for (let step = 0; step < length; step++) {
    const side = sides[below(2)] ?? sides[0];
    const other = side === sides[0] ? sides[1] : sides[0];
    const what = random();
    if (what < 0.45) await say(side);
    else if (what < 0.6) await stop(side);
    else if (what < 0.7) await start(side);
    else if (what < 0.9) {
      if (side.isRunning && chance(0.5)) await stop(side);
      await swap(side, other);
    } else {
      await stop(side);
      await harm(side);
    }
  }
  for (const side of sides) await judge(side, start, stop, history);
  history.entries = sides.reduce((sum, { said }) => sum + said.size, 0);
  return history;
}

async function judge(
  side: Side,
  start: (side: Side, peace: boolean) => Promise<void>,
  stop: (side: Side) => Promise<void>,
  history: History,
): Promise<void> {
  const { computer, said } = side;
  const problem = (text: string): void => void history.problems.push(`${computer.name}: ${text}`);
  await stop(side);
  let before = '';
  for (let again = 0; again < 3; again++) {
    await start(side, true);
    await computer.settle();
    const sessions = await computer.shown();
    const there = new Set([...sessions.values()].flatMap((entries) => entries.map(({ id }) => id)));
    const missing = [...said].filter((id) => !there.has(id));
    if (missing.length > 0)
      problem(`${missing.length} of ${said.size} saved entries are not shown (${missing.join(', ')})`);
    for (const [id, entries] of sessions) {
      if (new Set(entries.map((entry) => entry.id)).size < entries.length) problem(`session ${id} has an entry twice`);
    }
    const untold = (await setApart(computer)).filter((id) => !side.received.has(id));
    if (untold.length > 0) problem(`${untold.length} sessions were set apart and that is not told`);
    const twice = [...twins(sessions, computer)];
    if (twice.length > 0) problem(`${twice.length} sessions were set apart twice`);
    const rows = await computer.rows();
    const now = JSON.stringify(
      [...sessions].map(([id, entries]) => [id, entries.map((entry) => entry.id), rows.get(id)?.length]).sort(),
    );
    if (again > 1 && now !== before) problem('the next start changes something again');
    before = now;
    history.conflicts = Math.max(
      history.conflicts,
      [...sessions.keys()].filter((id) => computer.store.meta(id)?.conflict).length,
    );
    await computer.stop();
    side.isRunning = false;
  }
}

/** Sessions with a parent that they were set apart from, and no word of it. */
async function setApart(computer: Computer): Promise<string[]> {
  const unread = new Set(computer.store.unreadConflicts());
  const untold: string[] = [];
  for (const { sessionId } of await computer.store.list()) {
    const log = await computer.store.open(sessionId).catch(() => null);
    if (log?.header.parentSession !== undefined && !unread.has(sessionId)) untold.push(sessionId);
  }
  return untold;
}

/** Sessions that were set apart from one and have the same entries. */
function twins(sessions: Map<string, { id: string }[]>, computer: Computer): Set<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const [id, entries] of sessions) {
    const from = computer.store.meta(id)?.conflict?.with;
    if (from === undefined) continue;
    const key = `${from} ${entries.map((entry) => entry.id).join()}`;
    if (seen.has(key)) twice.add(id);
    seen.add(key);
  }
  return twice;
}
