import { tmpdir } from 'node:os';
import type { ModelRef } from '../../src/shared/types';
import { defaultSettings } from '../../src/shared/settings';
import type { DurableQueue } from '../../src/main/agent/durable-queue';
import { ExtensionBus } from '../../src/main/extensions/bus';
import { SlashCommands } from '../../src/main/slash/slash-commands';
import { Runs } from '../../src/main/session/machine/runs';
import { type SessionPorts, SessionScope } from '../../src/main/session/machine/scope';
import { inlineSerializer } from './inline-serializer';
import type { MemoryLog } from './memory-log';

const MODEL: ModelRef = { provider: 'p', modelId: 'm' };

/** The scope of a session without a model, a tool or a window: whoever tests one part gives it what it needs. */
export function bareScope(log: MemoryLog, ports: Partial<SessionPorts> = {}): SessionScope {
  const settings = defaultSettings();
  const models = { initialModel: () => MODEL, effectiveWindow: () => 0 } as unknown as SessionPorts['models'];
  const all: SessionPorts = {
    models,
    transport: {} as never,
    serializer: inlineSerializer(),
    extensions: new ExtensionBus({ onError: () => undefined }),
    slash: new SlashCommands(),
    settings: () => settings,
    emit: () => undefined,
    createTools: () => ({ tools: [], beforeToolCall: async () => undefined, dispose: async () => undefined }),
    workspaceOf: () => '/',
    project: {} as never,
    promptPlace: (workspaceDir) => ({ workspaceDir, platform: 'test', shell: 'sh', date: '2026-01-02' }),
    queueFile: () => `${tmpdir()}/none.queue.json`,
    onStorage: () => undefined,
    now: Date.now,
    ...ports,
  };
  return new SessionScope(log, emptyQueue(), all, () => undefined, {
    interrupted: false,
    neverBegan: [],
    edits: {},
    failure: null,
  });
}

/** The same with a table that can be asked; nothing runs in it. */
export function bareSession(log: MemoryLog, ports: Partial<SessionPorts> = {}): { scope: SessionScope; runs: Runs } {
  const scope = bareScope(log, ports);
  return { scope, runs: new Runs(scope, {} as never) };
}

function emptyQueue(): DurableQueue {
  return { list: () => [], next: () => undefined, nextBranch: () => undefined } as unknown as DurableQueue;
}
