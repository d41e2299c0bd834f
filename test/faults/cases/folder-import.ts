import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Case, type CaseContext, type FigureInput, zero } from '../../support/figures';
import { bundleProgram } from '../../support/model-server/source-worker';
import { seededRandom } from '../../support/model-server/truncated-calls';
import { piLines, type PiSession, writePi } from '../../support/pi-sessions';

const SEED = 20_261_128;
const SESSIONS = 60;

/** IM3: kill -9 in the middle of an import, again and again, while what is imported grows; then one to its end. */
async function killImport({ scratch, isCi, log }: CaseContext): Promise<FigureInput[]> {
  const kills = isCi ? 4 : 60;
  const random = seededRandom(SEED);
  const [pi, home] = [join(scratch, 'pi'), join(scratch, 'home')];
  for (const folder of [pi, home]) mkdirSync(folder);
  const program = join(scratch, 'import-program.cjs');
  writeFileSync(program, await bundleProgram('test/support/faults/import-program.ts'));
  const sessions = Array.from({ length: SESSIONS }, (_, n): PiSession => {
    return {
      id: `killed-${n}`,
      cwd: '/work',
      texts: Array.from({ length: 20 + n }, (_entry, at) => `${at} `.repeat(40)),
    };
  });
  const paths = sessions.map((session) => writePi(pi, session));
  /** All that each file was, from the first on. */
  const forms = new Map(sessions.map(({ id }, at) => [id, [readFileSync(paths[at] ?? '')]]));
  const found = { half: 0, parts: 0, lost: 0, killed: 0 };
  const grow = (at: number): void => {
    const session = sessions[at];
    if (!session) return;
    session.texts = [...session.texts, `Round ${session.texts.length} `.repeat(200)];
    appendFileSync(paths[at] ?? '', `${piLines(session).at(-1)}\n`);
    forms.get(session.id)?.push(readFileSync(paths[at] ?? ''));
  };
  const look = (isEnd: boolean): void => {
    const names = readdirSync(join(home, 'sessions'));
    for (const [id, all] of forms) {
      if (!names.includes(`${id}.jsonl`)) found.lost += isEnd ? 1 : 0;
      else {
        const bytes = readFileSync(join(home, 'sessions', `${id}.jsonl`));
        if (!all.some((form) => form.equals(bytes))) found.half += 1;
        if (isEnd && !all.at(-1)?.equals(bytes)) found.lost += 1;
      }
    }
    if (isEnd) found.parts = names.filter((name) => name.endsWith('.part')).length;
  };
  for (let kill = 0; kill < kills; kill += 1) {
    if (await importOnce(program, pi, home, random() * 400)) found.killed += 1;
    look(false);
    for (let n = 0; n < 10; n += 1) grow(Math.floor(random() * SESSIONS));
  }
  await importOnce(program, pi, home, null);
  look(true);
  log(`${found.killed} of ${kills} runs were killed in the middle`);
  const note = `${found.killed} kills, ${SESSIONS} sessions, seed ${SEED}`;
  return [
    zero('import that is killed: sessions that are half', found.half, 'sessions', note),
    zero('import that is killed: sessions that lack something after the last', found.lost, 'sessions', note),
    zero('import that is killed: parts that are left after the last', found.parts, 'files', note),
    {
      ...{
        name: 'import that is killed: runs that were killed in the middle',
        value: found.killed,
        unit: 'runs',
        note,
      },
      target: { on: 'value', op: '>=', bound: kills / 2 },
    },
  ];
}

/** One import; true if it was killed before its end, so many milliseconds behind its beginning. */
async function importOnce(program: string, pi: string, home: string, killMs: number | null): Promise<boolean> {
  const child = spawn(process.execPath, [program, pi, home], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Its packages are those of the project.
    env: { ...process.env, NODE_PATH: join(process.cwd(), 'node_modules') },
  });
  const exit = once(child, 'exit');
  let isDone = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'done') isDone = true;
    if (line === 'begins' && killMs !== null) setTimeout(() => child.kill('SIGKILL'), killMs);
  }
  await exit;
  return !isDone;
}

const cases: Case = { name: 'import of a folder that is killed', issue: 15, run: killImport };

export default cases;
