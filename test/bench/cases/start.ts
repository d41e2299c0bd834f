import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Case, FigureInput } from '../../support/figures';
import { median } from '../harness';
import { startPlainly, type PlainStart } from '../window/plain-start';
import { buildSameCode } from '../window/same-code';

const root = process.cwd();
const GRAPH_RUNS = 7;
const START_RUNS = 5;
/** Each row is judged by itself: whoever reads them needs one that holds. */
const EITHER = 'either of the two rows of the paint suffices';

interface GraphTimes {
  graphMs: number;
  graphCpuMs: number;
  /** What is loaded while the window's process starts. */
  servicesMs: number;
  piAiMs: number;
  isLazy: boolean;
}

/** QP13, QA7: what main's modules cost in Node, each time in a new process. */
const modules: Case = {
  name: 'P13',
  issue: 2,
  times: ['src/main/app/services.ts:startServices', 'src/main/pi/pi.ts:loadPiAi'],
  run({ scratch }): Promise<FigureInput[]> {
    const program = join(root, 'test/bench/window/main-graph.mjs');
    const runs = Array.from({ length: GRAPH_RUNS }, () => {
      const env = { ...process.env, ESPALIER_HOME: scratch, ESPALIER_NO_TOUR: '1' };
      return JSON.parse(
        execFileSync(process.execPath, [program, join(root, 'out/main/index.js')], { env, encoding: 'utf8' }),
      ) as GraphTimes;
    });
    const note = `Node ${process.versions.node}, ${GRAPH_RUNS} processes`;
    return Promise.resolve([
      {
        name: 'P13 main module graph before the first window',
        value: median(runs.map((run) => run.graphMs)),
        unit: 'ms',
        note: `${note}, processor ${median(runs.map((run) => run.graphCpuMs)).toFixed(0)} ms; the services after it ${median(runs.map((run) => run.servicesMs)).toFixed(0)} ms`,
        target: { on: 'value', op: '<=', bound: 80 },
      },
      {
        name: 'P13 pi-ai when it is first needed',
        value: median(runs.map((run) => run.piAiMs)),
        unit: 'ms',
        note,
        target: { on: 'value', op: '<=', bound: 60 },
      },
      {
        name: 'P13 services loaded before the window, or pi-ai before it is needed',
        value: runs.filter((run) => !run.isLazy).length,
        unit: 'runs',
        target: { on: 'value', op: '=', bound: 0 },
      },
    ]);
  },
};

/** QP15, QP16: the app as a person starts it, without a driver attached; what it noted is read afterwards. */
const start: Case = {
  name: 'P15 P16',
  issue: 2,
  times: ['src/main/app/start.ts:start', 'src/renderer/app/root.tsx:Root'],
  async run({ scratch, log }): Promise<FigureInput[]> {
    const runs: PlainStart[] = [];
    const bare: PlainStart[] = [];
    const sameCode: PlainStart[] = [];
    const sameCodeApp = join(scratch, 'same-code-app');
    await buildSameCode(sameCodeApp);
    for (let run = 0; run < START_RUNS; run += 1) {
      // One home for all: the first start makes it, the others find it.
      const measured = await startPlainly(join(scratch, 'home'));
      log(
        `interactive after ${measured.interactiveMs.toFixed(0)} ms, LCP ${measured.lcpMs.toFixed(0)} ms, ${measured.privateMb.toFixed(0)} MB`,
      );
      runs.push(measured);
      bare.push(await startPlainly(join(scratch, 'bare'), join(root, 'test/bench/window/bare')));
      sameCode.push(await startPlainly(join(scratch, 'same-code'), sameCodeApp));
    }
    const spread = runs.map((run) => run.interactiveMs.toFixed(0)).join(', ');
    const code = firstScreenCode(join(root, 'out/renderer'));
    const peerCode = firstScreenCode(join(sameCodeApp, 'page'));
    const lcpMs = median(runs.map((run) => run.lcpMs));
    const peerLcpMs = median(sameCode.map((run) => run.lcpMs));
    const bareLcpMs = median(bare.map((run) => run.lcpMs));
    return [
      {
        name: 'P15 cold start to interactive',
        value: median(runs.map((run) => run.interactiveMs)),
        unit: 'ms',
        peer: median(bare.map((run) => run.interactiveMs)),
        note: `from spawn to the composer, runs: ${spread}; peer: an Electron window with one field`,
        target: { on: 'value', op: '<=', bound: 1500 },
      },
      {
        name: 'P15 idle private memory, all processes',
        value: median(runs.map((run) => run.privateMb)),
        unit: 'MB',
        peer: median(bare.map((run) => run.privateMb)),
        note: runs.at(-1)?.processes ?? '',
        target: { on: 'value', op: '<=', bound: 250 },
      },
      {
        name: 'P16 code of the first screen, gzip',
        value: code.gzip / 1024,
        unit: 'KB',
        note: code.files.join(', '),
        target: { on: 'value', op: '<=', bound: 350 },
      },
      {
        name: 'P16 largest contentful paint',
        value: lcpMs,
        unit: 'ms',
        peer: bareLcpMs,
        note: `from the start of the navigation, files from disk; peer: a bare window without code; ${EITHER}`,
        target: { on: 'value', op: '<=', bound: 400 },
      },
      {
        name: 'P16 the same against a bare window with as much code',
        value: lcpMs / peerLcpMs,
        unit: 'x',
        note: `that one ${peerLcpMs.toFixed(0)} ms: it loads the same code (${(peerCode.gzip / 1024).toFixed(0)} KB gzip) and draws a line and a field; ${EITHER}`,
        target: { on: 'value', op: '<=', bound: 1.3 },
      },
    ];
  },
};

/** The scripts that the page loads before anything is shown: its entry and what that imports statically. */
function firstScreenCode(folder: string): { gzip: number; files: string[] } {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const waiting = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? '');
  const found = new Map<string, number>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    const code = readFileSync(join(folder, file));
    found.set(file, gzipSync(code).length);
    for (const [, name = ''] of code.toString('utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
      waiting.push(`assets/${name}`);
  }
  return { gzip: [...found.values()].reduce((sum, size) => sum + size, 0), files: [...found.keys()] };
}

export default [modules, start];
