import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Approvals } from '../../../src/main/approvals/approvals';
import { createToolHost } from '../../../src/main/approvals/tool-host';
import type { ToolResultMessage } from '@shared/session/records/entry';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import type { Case, CaseContext, FigureInput } from '../../support/figures';
import { newFileWorkers } from '../../support/file-workers';

const ISSUE = 11;
const CASE_MB = 1_024 * 1_024;

/** A folder made to hold up whoever looks into it. */
function buildFolder(workspaceDir: string, files: number, largeBytes: number): void {
  const at = (name: string): string => join(workspaceDir, name);
  const folders = Math.ceil(files / 500);
  for (let folder = 0; folder < folders; folder += 1) {
    mkdirSync(at(`many/${folder}`), { recursive: true });
    for (let file = 0; file < 500; file += 1) writeFileSync(at(`many/${folder}/${file}.txt`), 'a needle\n');
  }
  execFileSync('mkfifo', [at('.gitignore'), at('many/.gitignore'), at('many/pipe.txt')]);
  symlinkSync('/dev/zero', at('many/0/.gitignore'));
  symlinkSync('/dev/zero', at('endless.txt'));
  symlinkSync('.', at('many/self'));
  mkdirSync(at(`deep/${'d/'.repeat(1_000)}`), { recursive: true });
  symlinkSync('..', at('deep/d/d/up'));
  writeFileSync(at('large.bin'), '');
  truncateSync(at('large.bin'), largeBytes);
  writeFileSync(at('large.txt'), 'a line of text\n'.repeat(1_000));
  truncateSync(at('large.txt'), largeBytes);
  writeFileSync(at('same.txt'), 'a'.repeat(5_000_000));
  writeFileSync(at('lines.txt'), '\n'.repeat(5_000_000));
  writeFileSync(at('redos.txt'), `${'a'.repeat(5_000)}!\n`);
  mkdirSync(at('rules'));
  writeFileSync(at('rules/.gitignore'), `${'*a'.repeat(40)}b\n`.repeat(1_000));
  for (let file = 0; file < 20; file += 1) writeFileSync(at(`rules/${'a'.repeat(200)}${file}.txt`), '');
}

type Call = [what: string, tool: string, args: Record<string, unknown>];

/** What ends by itself; what does not is stopped. */
const CALLS: Call[] = [
  ['find in everything', 'find', { pattern: '**/*.txt' }],
  ['grep in everything', 'grep', { pattern: 'needle', limit: 1_000, path: 'many' }],
  ['glob of extended patterns', 'find', { pattern: '+(+(a)+(a))b' }],
  ['glob of stars', 'find', { pattern: `${'*a'.repeat(90)}b`, path: 'many' }],
  ['braces of braces', 'find', { pattern: '{a,b}'.repeat(40) }],
  ['edit of 10 kB against 5 MB', 'edit', { path: 'same.txt', edits: [{ oldText: `b${'a'.repeat(10_000)}`, newText: 'x' }] }], // prettier-ignore
  ['edit in 5,000,000 lines', 'edit', { path: 'lines.txt', edits: [{ oldText: '\n\n', newText: 'x' }] }],
  ['write over 5,000,000 lines', 'write', { path: 'lines.txt', content: 'x\n'.repeat(100_000) }],
  ['grep in 5,000,000 lines', 'grep', { pattern: '^x$', path: 'lines.txt' }],
  ['read of a large text', 'read', { path: 'large.txt', offset: 500 }],
  ['read of a large binary', 'read', { path: 'large.bin' }],
  ['read of a pipe', 'read', { path: '.gitignore' }],
  ['read of an endless device', 'read', { path: 'endless.txt' }],
  ['ls of a full folder', 'ls', { path: 'many' }],
  ['find in deep folders', 'find', { pattern: '*', path: 'deep' }],
];
const ENDLESS: Call[] = [
  ['a catastrophic expression', 'grep', { pattern: '^(a+)+$', path: 'redos.txt' }],
  ['another one, in all files', 'grep', { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', glob: 'redos.*' }],
];

function resultsOf({ log }: Harness): { toolCallId: string; text: string }[] {
  return log.stored.flatMap(({ line }) => {
    const { message } = JSON.parse(line) as { message?: ToolResultMessage };
    if (message?.role !== 'toolResult') return [];
    const [block] = message.content as { text?: string }[];
    return [{ toolCallId: message.toolCallId, text: block?.text ?? '' }];
  });
}

async function run({ scratch, isCi, log }: CaseContext): Promise<FigureInput[]> {
  const base = realpathSync(scratch);
  const workspaceDir = join(base, 'work');
  const dataDir = join(base, 'data');
  mkdirSync(workspaceDir);
  mkdirSync(dataDir);
  const files = isCi ? 5_000 : 100_000;
  buildFolder(workspaceDir, files, isCi ? 100 * CASE_MB : 1_024 * CASE_MB);
  const workers = await newFileWorkers();
  const approvals: Approvals = await Approvals.open({
    file: join(dataDir, 'approvals.json'),
    onChange: (event) => {
      if (event.type === 'requested') void approvals.answer(event.request.id, event.request.contentHash, 'once');
    },
  });
  let unanswered = 0;
  const harness = await startHarness({
    tools: ({ onOutput }) =>
      createToolHost({
        ...{ workspaceDir, dataDir, outputsDir: join(dataDir, 'outputs'), sessionId: 's1', approvals, onOutput },
        files: workers,
        settings: () => ({ policy: { write: 'allow', edit: 'allow' }, deniedPaths: [] }),
        isTrusted: () => Promise.resolve(true),
      }),
  });
  let turns = 0;
  const begin = async ([, name, args]: Call): Promise<string> => {
    turns += 1;
    const id = `call_${turns}`;
    // In one piece: how a long call streams is not the question here.
    harness.server.script([{ content: [{ type: 'toolCall', id, name, arguments: args }], chunkChars: 1e9 }, 'Done.']);
    await harness.session.prompt(promptOf('go'));
    return id;
  };
  // The first call starts the loop's own code and the thread.
  await begin(['warm-up', 'ls', {}]);
  await harness.settled(turns);

  const delay = monitorEventLoopDelay({ resolution: 1 });
  let slowest = { what: '', ms: 0 };
  let before = 0;
  for (const call of CALLS) {
    const startedAt = performance.now();
    delay.enable();
    const id = await begin(call);
    await harness.settled(turns);
    delay.disable();
    const ms = performance.now() - startedAt;
    if (ms > slowest.ms) slowest = { what: call[0], ms };
    const result = resultsOf(harness).find(({ toolCallId }) => toolCallId === id);
    log(`${call[0]}: ${ms.toFixed(0)} ms, ${delay.count - before} looks, ${result?.text.slice(0, 80) ?? 'no result'}`);
    if (!result) unanswered += 1;
    before = delay.count;
  }
  const p99 = delay.percentile(99) / 1e6;

  let slowestStop = 0;
  for (const call of ENDLESS) {
    const id = await begin(call);
    await harness.until('tool_start', ({ tool }) => tool.toolCallId === id);
    // It is given the time to be in the middle of it; if it were ended by then there would be nothing to stop.
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (resultsOf(harness).some(({ toolCallId }) => toolCallId === id)) throw new Error(`${call[0]} ended by itself`);
    const startedAt = performance.now();
    await harness.session.stop();
    await harness.settled(turns);
    const ms = performance.now() - startedAt;
    slowestStop = Math.max(slowestStop, ms);
    log(`${call[0]}: stopped in ${ms.toFixed(0)} ms`);
  }
  if (harness.session.isRunning) unanswered += 1;
  await harness.close();
  await workers.close();
  const note = `${files} files, ${CALLS.length} calls, ${delay.count} looks; slowest ${slowest.ms.toFixed(0)} ms: ${slowest.what}; longest hold ${(delay.max / 1e6).toFixed(0)} ms`;
  return [
    {
      name: 'hostile-files: main’s event loop while files are worked on, p99',
      value: p99,
      unit: 'ms',
      isOfMachine: true,
      note,
      target: { on: 'value', op: '<=', bound: 20 },
    },
    {
      name: 'hostile-files: Stop of work that never ends, slowest',
      value: slowestStop / 1_000,
      unit: 's',
      note: `${ENDLESS.length} calls`,
      target: { on: 'value', op: '<=', bound: 1 },
    },
    {
      name: 'hostile-files: calls without a result, or after which the session did not rest',
      value: unanswered,
      unit: 'calls',
      note,
      target: { on: 'value', op: '=', bound: 0 },
    },
  ];
}

const hostileFiles: Case = { name: 'hostile-files', issue: ISSUE, ci: true, run };
export default hostileFiles;
