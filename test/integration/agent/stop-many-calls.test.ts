import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SessionHost } from '../../../src/main/session/host/session-host';
import { Approvals } from '../../../src/main/approvals/approvals';
import type { FileWorkers } from '../../../src/main/files/file-workers';
import { createToolHost } from '../../../src/main/approvals/tool-host';
import { nextId, startHarness, type Harness } from '../../support/agent-harness';
import { FailingFs } from '../../support/failing-fs';
import { testFileWorkers } from '../../support/file-workers';
import { openStoreBench, type StoreBench } from '../../support/journal';
import { makeSandbox, type Sandbox } from '../../unit/tools/support/host';

/** A reply may make thousands of calls, and Stop ends them all: what it costs must not grow with them but for their lines. */

let fs: FailingFs;
let bench: StoreBench;
let harness: Harness;
let sandbox: Sandbox;
/** What Node finds wrong with the process. */
let warnings: string[];
const warned = ({ name, message }: Error): number => warnings.push(`${name}: ${message}`);
beforeEach(async () => {
  warnings = [];
  process.on('warning', warned);
  fs = new FailingFs();
  sandbox = await makeSandbox();
  bench = await openStoreBench({ fs });
  harness = await startHarness();
});
afterEach(async () => {
  await harness.close();
  await bench.dispose();
  sandbox.remove();
  process.off('warning', warned);
});

/** The app's session, tools and journal. `onJob` hears of each job for the workers that read files. */
async function startHost(onJob: (kind: string, host: SessionHost) => void): Promise<SessionHost> {
  const approvals = await Approvals.open({ file: join(sandbox.dataDir, 'approvals.json') });
  const workers = await testFileWorkers();
  const files: FileWorkers = {
    ...workers,
    run(...job) {
      const answer = workers.run(...job);
      onJob(job[0], host);
      return answer;
    },
  };
  const host: SessionHost = new SessionHost({
    ...harness.ports,
    store: bench.store,
    sessionsDir: bench.dir,
    scratchDir: sandbox.workspaceDir,
    createTools: (own) =>
      createToolHost({
        ...own,
        ...{ dataDir: sandbox.dataDir, outputsDir: sandbox.outputsDir, approvals, files },
        isTrusted: () => Promise.resolve(true),
        settings: () => ({ policy: {}, deniedPaths: [] }),
      }),
  });
  return host;
}

/** Stops a session in a reply of `count` calls, once they all wait. What was written and told since, and what was stored. */
async function stopped(tool: 'bash' | 'read', count: number): Promise<Record<string, number>> {
  const args = tool === 'bash' ? { command: 'echo ran >> ran' } : { path: 'note.txt' };
  await writeFile(join(sandbox.workspaceDir, 'note.txt'), 'text\n');
  const content = Array.from({ length: count }, (_, at) => ({ type: 'toolCall' as const, id: `call_${at}`, name: tool, arguments: args })); // prettier-ignore
  harness.server.script({ content });
  let before = { appends: 0, events: 0 };
  const stop = (host: SessionHost): void => {
    before = { appends: fs.appends, events: harness.events.length };
    void host.session(id).then((session) => session.stop());
  };
  let begun = 0;
  // Reading is allowed unasked: the last one to begin stops them all while two are read.
  const host = await startHost((kind, it) => {
    if (kind === 'perform' && (begun += 1) === count) stop(it);
  });
  const { id } = await host.create({});
  const asked = harness.until('tool_start');
  await (await host.session(id)).prompt({ itemId: nextId(), text: 'Go', attachments: [], mode: 'steer' });
  await asked;
  if (tool === 'bash') stop(host);
  await harness.settled();
  const since = harness.events.slice(before.events).map(({ type }) => type);
  const results = (await bench.store.open(id)).tree.entriesInOrder().filter(({ facts }) => facts.role === 'toolResult');
  await host.dispose();
  return {
    results: results.length,
    appends: fs.appends - before.appends,
    usage: since.filter((type) => type === 'context_usage').length,
    starts: since.filter((type) => type === 'tool_start').length,
  };
}

it.each(['bash', 'read'] as const)('Stop stores the results of all calls of a reply in one write: %s', async (tool) => {
  const few = await stopped(tool, 20);
  harness.events.length = 0;
  const many = await stopped(tool, 400);
  expect([few.results, many.results]).toEqual([20, 400]);
  // Writes to journal and index (what the list of sessions shows is written by a clock); what is told of the context; calls shown as running.
  expect([few.appends, few.usage, few.starts]).toEqual([many.appends, many.usage, many.starts]);
  expect(many.appends).toBeLessThanOrEqual(2);
  expect(many.starts).toBe(0);
  expect(warnings).toEqual([]);
});
