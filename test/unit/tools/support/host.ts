import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Approvals, type ApprovalsOptions } from '../../../../src/main/approvals/approvals';
import { createToolHost, type ToolHost } from '../../../../src/main/approvals/tool-host';
import type { ToolHostOptions, ToolSettings } from '../../../../src/main/approvals/tool-host-options';
import { testFileWorkers } from '../../../support/file-workers';
import type { ApprovalDecision, ApprovalEvent, ApprovalRequest } from '../../../../src/shared/policy/approval';

export interface Sandbox {
  base: string;
  workspaceDir: string;
  dataDir: string;
  outputsDir: string;
  remove(): void;
}

/** A workspace and a data folder of real files, with real (link-free) paths. */
export async function makeSandbox(): Promise<Sandbox> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-tools-')));
  const sandbox = {
    base,
    workspaceDir: join(base, 'work'),
    dataDir: join(base, 'data'),
    outputsDir: join(base, 'data', 'outputs'),
  };
  await mkdir(sandbox.workspaceDir);
  await mkdir(join(sandbox.dataDir, 'sessions'), { recursive: true });
  return { ...sandbox, remove: () => rmSync(base, { recursive: true, force: true }) };
}

export interface TestHost {
  host: ToolHost;
  approvals: Approvals;
  events: ApprovalEvent[];
  settings: { policy: Record<string, 'allow' | 'ask' | 'deny'>; deniedPaths: string[] };
  /** Answers every question from now on. */
  autoAnswer(decision: ApprovalDecision | undefined): void;
  asked: ApprovalRequest[];
  /** Gate, then execute: what the loop does. Throws what the model would get as an error. */
  call(
    tool: string,
    args: unknown,
    options?: {
      id?: string;
      signal?: AbortSignal;
      onUpdate?: (text: string) => void;
      between?: (args: Record<string, unknown>) => unknown;
    },
  ): Promise<ToolCallOutcome>;
}

interface ToolCallOutcome {
  text: string;
  details: Record<string, unknown>;
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
  isError: boolean;
}

let calls = 0;

export async function makeHost(
  sandbox: Sandbox,
  options: Partial<ToolHostOptions> = {},
  asking: Pick<ApprovalsOptions, 'ask' | 'readingQuestion'> = {},
): Promise<TestHost> {
  const events: ApprovalEvent[] = [];
  const asked: ApprovalRequest[] = [];
  const settings: TestHost['settings'] = { policy: {}, deniedPaths: [] };
  let decision: ApprovalDecision | undefined = 'once';
  const approvals: Approvals = await Approvals.open({
    // A person who agrees to what main asks.
    ask: ({ choices }) => Promise.resolve(choices[0]?.id ?? null),
    ...asking,
    file: join(sandbox.dataDir, 'approvals.json'),
    onChange: (event) => {
      events.push(event);
      if (event.type !== 'requested') return;
      asked.push(event.request);
      if (decision) void approvals.answer(event.request.id, event.request.contentHash, decision);
    },
  });
  const host = createToolHost({
    ...sandbox,
    sessionId: 's1',
    approvals,
    files: await testFileWorkers(),
    settings: (): ToolSettings => settings,
    isTrusted: () => Promise.resolve(true),
    ...options,
  });
  return {
    host,
    approvals,
    events,
    asked,
    settings,
    autoAnswer: (next) => (decision = next),
    async call(tool, args, { id = `call-${(calls += 1)}`, signal, between, onUpdate } = {}) {
      const toolCall = { type: 'toolCall' as const, id, name: tool, arguments: args as Record<string, unknown> };
      const blocked = await host.beforeToolCall({ toolCall, args }, signal);
      if (blocked?.block) throw new Error(blocked.reason);
      await between?.(args as Record<string, unknown>);
      const found = host.tools.find((candidate) => candidate.name === tool);
      if (!found) throw new Error(`no tool ${tool}`);
      const tell = ({ content }: { content: { type: string; text?: string }[] }): void =>
        onUpdate?.(content[0]?.text ?? '');
      const result = await found.execute(id, args as never, signal, tell);
      const after = await host.afterToolCall({ toolCall, result });
      const content = result.content as ToolCallOutcome['content'];
      return {
        text: content.map((block) => block.text ?? '').join(''),
        details: result.details as Record<string, unknown>,
        content,
        isError: after?.isError === true,
      };
    },
  };
}
