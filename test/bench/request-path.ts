import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MessageChannel } from 'node:worker_threads';
import { Gate } from '../../src/main/agent/gate';
import { RepeatGuard } from '../../src/main/agent/run-calls';
import type { ProviderRequest, StreamTransport } from '../../src/main/agent/stream/types';
import { openCredentials } from '../../src/main/models/credentials';
import { openEndpoints } from '../../src/main/models/endpoints';
import { Registry } from '../../src/main/models/registry';
import { AutoCompaction } from '../../src/main/session/summaries/auto-compaction';
import { Approvals } from '../../src/main/approvals/approvals';
import type { FileWorkers } from '../../src/main/files/file-workers';
import { createToolHost } from '../../src/main/approvals/tool-host';
import { Project } from '../../src/main/trust/project-door';
import { SessionScope } from '../../src/main/session/machine/scope';
import { parseRecord } from '@shared/session/records/records';
import { defaultSettings } from '../../src/shared/settings';
import { bareScope } from '../support/bare-session';
import { MemoryLog } from '../support/memory-log';
import { goDirectly } from '../support/no-proxy';

const NOWHERE = 'http://127.0.0.1:9';
const NO_KEYRING = { available: () => false, encrypt: (text: string) => text, decrypt: (text: string) => text };

/** One session as main has it, and its requests up to the provider's worker. */
export interface RequestPath {
  log: MemoryLog;
  /** Everything main does from "a request is due" to handing it over. Gives what would be posted. */
  due(): Promise<ProviderRequest>;
  /** What the app waits for before each request besides: whether the folder is trusted, and its notes. */
  lookAtProject(): Promise<unknown>;
}

interface PathOptions {
  /** A session file. */
  path: string;
  /** An empty folder. */
  scratch: string;
}

/**
 * The gate of one session with the parts that the app gives it: registry, tools, settings, limits. Only the thread is not there:
 * its place takes a transport that keeps the request; and the prompt is at hand, as it is with the peer.
 */
export async function openRequestPath({ path, scratch }: PathOptions): Promise<RequestPath> {
  const log = await readLog(path);
  // The sessions are longer than any window: what compacts or refuses them is not the path that is timed.
  const settings = { ...defaultSettings(), 'compaction.enabled': false };
  const credentials = await openCredentials(join(scratch, 'credentials.json'), NO_KEYRING);
  const registry = new Registry({
    findRoute: goDirectly,
    environment: {},
    credentials,
    endpoints: await openEndpoints(join(scratch, 'endpoints.json'), credentials),
    settings: () => settings,
    localAddresses: { ollama: NOWHERE, lmstudio: NOWHERE, llamacpp: NOWHERE },
    onChange: () => undefined,
  });
  await registry.load();
  await registry.setKey('anthropic', 'sk-bench', 'session');
  const head = await headParts(scratch, log.sessionId);
  const { signal: running } = new AbortController();
  let handOver: (request: ProviderRequest) => void = () => undefined;
  const transport: StreamTransport = {
    stream: (request) => {
      handOver(request);
      return { result: () => new Promise(() => undefined), [Symbol.asyncIterator]: nothing };
    },
    close: () => Promise.resolve(),
  };
  const scope = bareScope(log, { ...head, models: registry, transport, settings: () => settings });
  await scope.tools.ready();
  const text = await scope.systemPrompt();
  const lookAtProject = (): Promise<unknown> => SessionScope.prototype.systemPrompt.call(scope);
  scope.systemPrompt = () => Promise.resolve(text);
  const gate = new Gate(scope, new AutoCompaction(scope, new RepeatGuard()));
  return {
    log,
    lookAtProject,
    due: () => {
      gate.allowOversizeOnce();
      return new Promise((resolve, reject) => {
        handOver = resolve;
        void Promise.resolve(gate.streamFn({} as never, {} as never, { signal: running })).then(async (stream) => {
          // What was handed over never answers; what was refused does at once.
          const reply = await stream.result();
          reject(new Error(`the request was not sent: ${reply.errorMessage ?? reply.stopReason}`));
        }, reject);
      });
    },
  };
}

/** What main does after that, in one block: cloning the request for the thread. */
export function post(request: ProviderRequest): void {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage({ type: 'start', id: 1, request });
  port1.close();
  port2.close();
}

async function* nothing(): AsyncGenerator<never> {}

async function readLog(path: string): Promise<MemoryLog> {
  const log = new MemoryLog();
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (parseRecord(line).kind === 'entry') log.addLine(line);
  }
  log.tree.settleLeafAfterLoad();
  return log;
}

/** The prompt of a trusted folder with notes, and the tools that the app offers in it. */
async function headParts(scratch: string, sessionId: string) {
  const workspaceDir = join(scratch, 'work');
  const dataDir = join(scratch, 'data');
  await mkdir(workspaceDir, { recursive: true });
  await writeFile(join(workspaceDir, 'AGENTS.md'), 'Tests first. Plain words.\n'.repeat(100));
  const place = { workspaceDir, platform: process.platform, shell: '/bin/sh', date: '2026-01-01' };
  const project = new Project({
    isTrusted: () => Promise.resolve(true),
    isScratch: () => Promise.resolve(false),
    dataDir,
    deniedPaths: () => [],
  });
  const host = createToolHost({
    sessionId,
    workspaceDir,
    dataDir,
    outputsDir: join(dataDir, 'outputs'),
    // No tool is run.
    files: {} as FileWorkers,
    approvals: await Approvals.open({
      ask: () => Promise.resolve(null),
      file: join(dataDir, 'approvals.json'),
      onChange: () => undefined,
    }),
    isTrusted: () => Promise.resolve(true),
    settings: () => ({ policy: { write: 'ask', edit: 'ask', bash: 'ask' }, deniedPaths: [] }),
  });
  return { project, promptPlace: () => place, workspaceOf: () => workspaceDir, createTools: () => host };
}
