import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Type } from 'typebox';
import type { ModelRef, ProviderInfo } from '../../src/shared/types';
import { outward, type OutwardEvent } from './outward';
import type { SessionEntry } from '@shared/session/records/entry';
import { defaultSettings, type Settings } from '../../src/shared/settings';
import { createInlineTransport } from './inline-transport';
import type { StreamTransport } from '../../src/main/agent/stream/types';
import { ExtensionBus, type HandlerTimeouts } from '../../src/main/extensions/bus';
import { SlashCommands } from '../../src/main/slash/slash-commands';
import type { ExtensionError } from '../../src/main/extensions/events';
import type { AgentTool, Api, Model } from '../../src/main/pi/pi-types';
import { NO_PROXIES, type Proxies } from '../../src/main/network/proxy-fetch';
import type { ModelRegistry } from '../../src/main/ports';
import { AgentSession } from '../../src/main/session/host/agent-session';
import type { SessionPorts } from '../../src/main/session/machine/scope';
import type { SessionTools, ToolOptions } from '../../src/main/session/machine/tool-slot';
import { Project } from '../../src/main/trust/project-door';
import { inlineSerializer } from './inline-serializer';
import { MemoryLog } from './memory-log';
import { goDirectly } from './no-proxy';
import { LOOPBACK_KEY, modelsFor, startModelServer, type LoopbackModelOptions, type ModelServer } from './model-server';

export interface HarnessOptions {
  model?: LoopbackModelOptions;
  settings?: Partial<Settings>;
  log?: MemoryLog;
  extensionTimeouts?: HandlerTimeouts;
  /** Default: this thread. */
  transport?: StreamTransport;
  tools?: (options: ToolOptions) => SessionTools;
}

export interface Harness {
  server: ModelServer;
  session: AgentSession;
  log: MemoryLog;
  events: OutwardEvent[];
  models: FakeModels;
  extensions: ExtensionBus;
  /** What extensions did wrong so far. */
  extensionErrors: ExtensionError[];
  ports: SessionPorts;
  dir: string;
  settings: Settings;
  /** Resolves when an event fits, past or future. */
  until<T extends OutwardEvent['type']>(
    type: T,
    fits?: (event: Extract<OutwardEvent, { type: T }>) => boolean,
  ): Promise<Extract<OutwardEvent, { type: T }>>;
  settled(n?: number): Promise<void>;
  messages(): string[];
  reopen(log?: MemoryLog): Promise<AgentSession>;
  close(): Promise<void>;
}

let counter = 0;
/** A fresh entry id. */
export function nextId(): string {
  counter += 1;
  return (0x10000000 + counter).toString(16).padStart(16, '0');
}

export class FakeModels implements ModelRegistry {
  readonly all: Model<Api>[];
  learned: number[] = [];
  served: number[] = [];
  key = LOOPBACK_KEY;
  remote: string | undefined;
  findRoute: ModelRegistry['findRoute'] = goDirectly;
  window: number | null = null;
  kind: ProviderInfo['kind'] = 'custom';
  proxies: Proxies = NO_PROXIES;

  constructor(models: Model<Api>[]) {
    this.all = models;
  }

  providers(): ReturnType<ModelRegistry['providers']> {
    return this.all.map((model) => ({
      id: model.provider,
      name: model.provider,
      kind: this.kind,
      keySource: 'stored',
      baseUrl: model.baseUrl,
      available: true,
      models: [],
    }));
  }

  find({ provider, modelId }: ModelRef): Model<Api> | undefined {
    return this.all.find((model) => model.provider === provider && model.id === modelId);
  }

  async resolve(ref: ModelRef): ReturnType<ModelRegistry['resolve']> {
    const model = this.find(ref);
    if (model) return { ok: true, model, apiKey: this.key, headers: {}, proxies: this.proxies };
    const detail = `${ref.provider}/${ref.modelId} is no longer available. Choose another model.`;
    return { ok: false, failure: { title: 'Model not available', detail, actions: ['model', 'retry'] } };
  }

  initialModel(): ModelRef {
    const [model] = this.all;
    return { provider: model?.provider ?? 'none', modelId: model?.id ?? 'none' };
  }

  effectiveWindow(ref: ModelRef): number {
    return this.window ?? this.find(ref)?.contextWindow ?? 0;
  }

  learnWindow(_ref: ModelRef, tokens: number): void {
    this.learned.push(tokens);
  }

  noteServed(_ref: ModelRef, tokens: number): void {
    this.served.push(tokens);
  }

  remoteKey(): string | undefined {
    return this.remote;
  }
}

/** Real loop, real providers, real transport code against a loopback server; log in memory. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const dir = mkdtempSync(path.join(tmpdir(), 'espalier-agent-'));
  const server = await startModelServer();
  const wires = modelsFor(server, options.model);
  const models = new FakeModels([wires.completions, wires.messages, wires.responses]);
  const transport = options.transport ?? createInlineTransport();
  const settings = { ...defaultSettings(), 'retry.baseDelayMs': 10, 'retry.maxDelayMs': 50, ...options.settings };
  const events: OutwardEvent[] = [];
  const waiters = new Set<(event: OutwardEvent) => void>();
  const log = options.log ?? new MemoryLog();
  const extensionErrors: ExtensionError[] = [];
  const onError = (error: ExtensionError): void => void extensionErrors.push(error);
  const extensions = new ExtensionBus({ onError, timeouts: options.extensionTimeouts });
  const ports: SessionPorts = {
    models,
    transport,
    serializer: inlineSerializer(),
    extensions,
    slash: new SlashCommands(),
    settings: () => settings,
    emit: (inner) => {
      // What the outside hears of it (EV2).
      const event = outward(inner);
      if (event === null) return;
      events.push(event);
      for (const waiter of [...waiters]) waiter(event);
    },
    createTools: (toolOptions) => options.tools?.(toolOptions) ?? plainTools(toolOptions.onOutput),
    workspaceOf: () => dir,
    project: new Project({
      isTrusted: () => Promise.resolve(true),
      isScratch: () => Promise.resolve(false),
      dataDir: path.join(dir, 'data'),
      deniedPaths: () => [],
    }),
    promptPlace: (workspaceDir) => ({ workspaceDir, platform: 'test', shell: 'sh', date: '2026-01-02' }),
    queueFile: (sessionId) => path.join(dir, `${sessionId}.queue.json`),
    onStorage: () => undefined,
    now: Date.now,
  };
  const sessions: AgentSession[] = [];
  const open = async (onLog: MemoryLog): Promise<AgentSession> => {
    const session = await AgentSession.open(onLog, ports, () => undefined);
    sessions.push(session);
    return session;
  };
  const harness: Harness = {
    server,
    session: await open(log),
    log,
    events,
    models,
    extensions,
    extensionErrors,
    ports,
    dir,
    settings,
    until: (type, fits = () => true) =>
      new Promise((resolve) => {
        const test = (event: OutwardEvent): boolean => event.type === type && fits(event as never);
        const past = events.find(test);
        if (past) return resolve(past as never);
        const waiter = (event: OutwardEvent): void => {
          if (!test(event)) return;
          waiters.delete(waiter);
          resolve(event as never);
        };
        waiters.add(waiter);
      }),
    settled: async (n = 1) => {
      const count = (): number => events.filter((event) => event.type === 'settled').length;
      while (count() < n) {
        await new Promise<void>((resolve) => {
          const waiter = (event: OutwardEvent): void => {
            if (event.type !== 'settled') return;
            waiters.delete(waiter);
            resolve();
          };
          waiters.add(waiter);
        });
      }
    },
    messages: () => describeMessages(log),
    reopen: (again = log.reopen()) => open(again),
    close: async () => {
      for (const session of sessions) await session.dispose();
      await transport.close();
      await server.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return harness;
}

/** The messages of the file in short: `user: hi`, `assistant(stop): hello`, `toolResult: 3`. */
export function describeMessages(log: MemoryLog): string[] {
  return log.stored.slice(1).flatMap(({ line }) => {
    const entry = JSON.parse(line) as SessionEntry;
    if (entry.type !== 'message' || !('message' in entry)) return [];
    const message = entry.message as {
      role: string;
      stopReason?: string;
      content: string | { type: string; text?: string; name?: string }[];
    };
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    const text = blocks
      .map((block) => ('name' in block && block.name ? `[${block.name}]` : (block.text ?? '')))
      .join('');
    const stop = message.stopReason ? `(${message.stopReason})` : '';
    return [`${message.role}${stop}: ${text}`];
  });
}

/** `echo` answers its text, `slow` prints and waits for the end of the signal. Both are allowed. */
export function plainTools(onOutput: (output: { toolCallId: string; chunk: string }) => void): SessionTools {
  const parameters = Type.Object({ text: Type.String() });
  const echo: AgentTool<typeof parameters> = {
    name: 'echo',
    label: 'Echo',
    description: 'Repeats the text.',
    parameters,
    executionMode: 'sequential',
    execute: async (_id, { text }) => ({ content: [{ type: 'text', text: `echo ${text}` }], details: {} }),
  };
  const slow: AgentTool<typeof parameters> = {
    name: 'slow',
    label: 'Slow',
    description: 'Waits until it is stopped.',
    parameters,
    executionMode: 'sequential',
    execute: (id, { text }, signal) =>
      new Promise((_resolve, reject) => {
        onOutput({ toolCallId: id, chunk: `${text}\n` });
        signal?.addEventListener('abort', () => reject(new Error('Stopped.')));
      }),
  };
  return { tools: [echo, slow], beforeToolCall: async () => undefined, dispose: async () => undefined };
}

/** Tools that do nothing but answer a text. Allowed. */
export function toolsNamed(names: readonly string[], onRun?: () => void, text = 'done'): SessionTools {
  const parameters = Type.Object({ path: Type.Optional(Type.String()), text: Type.Optional(Type.String()) });
  const tools = names.map((name): AgentTool<typeof parameters> => ({
    name,
    label: name,
    description: name,
    parameters,
    executionMode: 'sequential',
    execute: async () => {
      onRun?.();
      return { content: [{ type: 'text', text }], details: {} };
    },
  }));
  return { tools, beforeToolCall: async () => undefined, dispose: async () => undefined };
}

export function promptOf(
  text: string,
  mode: 'steer' | 'followUp' = 'steer',
  itemId = nextId(),
): Parameters<AgentSession['prompt']>[0] {
  return { itemId, text, attachments: [], mode };
}
