import { seededRandom } from '../bench/sessions';
import { Computer } from './computer';
import { MemoryFs } from './memory-fs';
import type { History } from './two-computers';

const HOME = '/home';
const SESSIONS = `${HOME}/sessions`;
/** What programs make of a journal's name when they move it aside. */
const ASIDE = [' (conflicted copy)', '.sync-conflict-20260101-120000-ABCDEFG', '-DESKTOP-1AB', ' 2', '.bak', '.old'];

/** A line of a session file as another program would have written it. */
function line(id: string, parentId: string | null, text: string): string {
  const message = { role: 'user', content: [{ type: 'text', text }], timestamp: 1 };
  return `${JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-01-01T00:00:00.000Z', message })}\n`;
}

/**
 * A random history of one computer with sessions that were imported from copies of one session, so that all have the same header:
 * their files are swapped with each other and with strange ones, cut, grown, moved aside and removed, while the app runs or not. A session
 * whose own file was left alone must have what it had and what was said in it, and nothing else; what was saved is shown somewhere.
 */
export async function runSameHeader(seed: number, length = 16): Promise<History> {
  const random = seededRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const chance = (share: number): boolean => random() < share;
  const hex = (digits: number): string => Array.from({ length: digits }, () => below(16).toString(16)).join('');
  let now = Date.UTC(2026, 0, 1);
  const history: History = { seed, steps: [], problems: [], entries: 0, conflicts: 0 };
  const note = (step: string): void => void history.steps.push(step);
  const fs = new MemoryFs();
  const computer = new Computer('a', HOME, () => (now += 1000), hex);
  /** Ids of the entries that a session whose file was left alone must have, in order. */
  const wanted = new Map<string, string[]>();
  const said = new Set<string>();
  const touched = new Set<string>();
  const path = (id: string): string => `${SESSIONS}/${id}.jsonl`;
  let isRunning = false;
  let texts = 0;

  const check = async (when: string): Promise<void> => {
    const sessions = await computer.shown();
    for (const [id, entries] of wanted) {
      if (touched.has(id)) continue;
      const shown = sessions.get(id)?.map((entry) => entry.id);
      if (shown?.join() === entries.join()) continue;
      const what = `has ${shown?.length ?? 'no'} entries in place of ${entries.length}`;
      history.problems.push(`${when}: session ${id.slice(0, 4)}, which nobody touched, ${what}`);
    }
  };
  const checkOrigins = async (when: string): Promise<void> => {
    for (const id of (await computer.shown()).keys()) {
      const from = wanted.has(id) ? undefined : computer.store.meta(id)?.conflict?.with;
      if (from !== undefined && !touched.has(from))
        history.problems.push(
          `${when}: ${id.slice(0, 4)} was set apart from ${from.slice(0, 4)}, which nobody touched`,
        );
    }
  };
  const start = async (): Promise<void> => {
    if (isRunning) return;
    note('starts');
    await computer.start(fs);
    await computer.settle();
    isRunning = true;
    await check('after a start');
    await checkOrigins('after a start');
  };
  const stop = async (): Promise<void> => {
    if (!isRunning) return;
    const dies = chance(0.3);
    note(dies ? 'dies' : 'stops');
    await computer.stop(dies);
    isRunning = false;
  };
  /** From here on every session is as it is now: what was to be brought together was. */
  const takeStock = async (): Promise<void> => {
    await stop();
    await start();
    const sessions = await computer.shown();
    const there = new Set([...sessions.values()].flatMap((entries) => entries.map(({ id }) => id)));
    const missing = [...said].filter((id) => !there.has(id));
    if (missing.length > 0)
      history.problems.push(`${missing.length} saved entries are not shown: ${missing.join(', ')}`);
    wanted.clear();
    touched.clear();
    for (const [id, entries] of sessions) {
      // A copy that is shown as a session until the next start takes it in, and sets apart what it has from the session beside it.
      const suffix = ASIDE.find((suffix) => id.endsWith(suffix));
      if (suffix !== undefined) {
        touched.add(id.slice(0, -suffix.length));
        continue;
      }
      wanted.set(
        id,
        entries.map((entry) => entry.id),
      );
    }
  };

  // Copies of one session: cut short at different places, or gone another way.
  const header = `${JSON.stringify({ type: 'session', version: 3, id: `${hex(8)}-0000-4000-8000-${hex(12)}`, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/work' })}\n`;
  const trunk = Array.from({ length: 8 }, (_, n) => line(`t${n}`, n === 0 ? null : `t${n - 1}`, `trunk ${n}`));
  await start();
  for (let n = 0, count = 2 + below(3); n < count; n++) {
    const length = 1 + below(trunk.length);
    const own = chance(0.3) ? [line(`own${n}`, `t${length - 1}`, `own ${n}`)] : [];
    fs.put('/from.jsonl', Buffer.from([header, ...trunk.slice(0, length), ...own].join('')));
    const log = await computer.store.importFile('/from.jsonl');
    const entries = log.tree.entriesInOrder().map(({ id }) => id);
    wanted.set(log.sessionId, entries);
    for (const id of entries) said.add(id);
    note(`imports ${entries.length} as ${log.sessionId.slice(0, 4)}`);
  }
  await computer.compare();
  await computer.settle();

  const say = async (id: string): Promise<void> => {
    await start();
    note(`says in ${id.slice(0, 4)}`);
    const ids = await computer.say(id, [`said ${++texts}`]).catch((error: unknown) => void note(String(error)));
    for (const entry of ids ?? []) said.add(entry);
    if (!touched.has(id)) wanted.get(id)?.push(...(ids ?? []));
    await check(`after words in ${id.slice(0, 4)}`);
    await checkOrigins(`after words in ${id.slice(0, 4)}`);
  };
  const harm = async (id: string, other: string): Promise<void> => {
    const bytes = fs.get(path(id));
    if (!bytes) return;
    touched.add(id);
    const put = (content: Uint8Array): void =>
      chance(0.5) ? fs.put(path(id), content) : fs.overwrite(path(id), content);
    const kind = below(7);
    const strange = `${header}${trunk.slice(0, below(8)).join('')}${line(`s${++texts}`, null, 'strange')}`;
    const suffix = ASIDE[below(ASIDE.length)] ?? '';
    const theirs = fs.get(path(other));
    // A file moved aside is shown as a session until it is taken in, and the next one of that name replaces it.
    touched.add(`${id}${suffix}`);
    if (kind === 0 && theirs) put(theirs);
    else if (kind === 1) put(Buffer.from(strange));
    else if (kind === 2) put(bytes.subarray(0, below(bytes.length)));
    else if (kind === 3) put(Buffer.concat([bytes, Buffer.from(line(`g${++texts}`, null, 'grown'))]));
    else if (kind === 4) await fs.rename(path(id), `${SESSIONS}/${id}${suffix}.jsonl`);
    else if (kind === 5 && theirs) fs.put(`${SESSIONS}/${id}${suffix}.jsonl`, theirs);
    else if (theirs) {
      touched.add(other);
      await fs.rename(path(other), path(id));
    }
    const what = ['gets the file of', 'gets a strange file', 'is cut', 'grows', `is moved to ${suffix}`, `gets beside it, as ${suffix},`, 'gets, moved, the file of'][kind]; // prettier-ignore
    note(`${id.slice(0, 4)} ${what ?? ''} ${other.slice(0, 4)}`);
  };

  for (let step = 0; step < length; step++) {
    const ids = [...wanted.keys()].sort();
    const id = ids[below(ids.length)] ?? '';
    const other = ids.filter((each) => each !== id)[below(ids.length - 1)] ?? id;
    const what = random();
    if (what < 0.35) await say(id);
    else if (what < 0.45) await stop();
    else if (what < 0.55) await start();
    else if (what < 0.65) await takeStock();
    else {
      if (other !== id) await harm(id, other);
      // Most swaps are found by the next words.
      if (chance(0.6)) await say(id);
    }
  }
  await takeStock();
  await takeStock();
  await check('at the end');
  history.conflicts = [...wanted.keys()].filter((id) => computer.store.meta(id)?.conflict).length;
  history.entries = said.size;
  await stop();
  return history;
}
