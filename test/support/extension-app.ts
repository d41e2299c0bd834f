import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Approvals } from '../../src/main/approvals/approvals';
import { createToolHost } from '../../src/main/approvals/tool-host';
import { ExtensionBus, type HandlerTimeouts } from '../../src/main/extensions/bus';
import { commandFacts } from '../../src/main/extensions/host/command-facts';
import { ExtensionBook } from '../../src/main/extensions/host/extension-book';
import { ExtensionRunner } from '../../src/main/extensions/host/extension-host';
import type { FoundScope } from '../../src/main/extensions/host/known-extensions';
import { modelCaller, modelsFor as modelsOf } from '../../src/main/extensions/host/model-calls';
import { commandSource, toolSource } from '../../src/main/extensions/host/sources';
import { withExtensionStreams } from '../../src/main/extensions/host/stream-transport';
import { ResourceBook } from '../../src/main/extensions/resources';
import { ToolSources } from '../../src/main/extensions/tool-source';
import { ExtensionDesk } from '../../src/main/extensions/ui/extension-desk';
import { createSessionStore } from '../../src/main/journal/session-store';
import { approvalChangeOf } from '../../src/main/ipc/approval-view';
import { randomHex } from '../../src/main/random-hex';
import { SessionHost } from '../../src/main/session/host/session-host';
import { SlashCommands } from '../../src/main/slash/slash-commands';
import { Project } from '../../src/main/trust/project-door';
import type { ExtensionAnswer, ExtensionQuestion } from '../../src/shared/extensions/ui';
import type { ExtensionProcess } from '../../src/main/extensions/host/scope-process';
import { isRecord } from '../../src/shared/checks';
import type { AppEvent } from '../../src/shared/ipc/contract';
import type { ExtensionChange } from '../../src/shared/session-state/events';
import { defaultSettings, type Settings } from '../../src/shared/settings';
import type { FakeModels } from './agent-harness';
import { nodeExtensionProcess } from './extension-process';
import { newFileWorkers } from './file-workers';
import { createInlineTransport } from './inline-transport';
import { inlineSerializer } from './inline-serializer';

/** What is only slow on a busy machine does not hang. */
const PATIENT = { beatMs: 1_000, missedBeats: 60, loadMs: 120_000 };

export interface ExtensionAppOptions {
  /** A folder of its own; everything is kept there. */
  home: string;
  models: FakeModels;
  /** The extensions of a session's folder. */
  find: (cwd: string) => Promise<readonly FoundScope[]>;
  /** What the person answers to a question of an extension; undefined: nothing. */
  answer?: (question: ExtensionQuestion, sessionId: string) => ExtensionAnswer | undefined;
  /** What an extension shows in a session. */
  shown?: (sessionId: string, change: ExtensionChange) => void;
  hear?: (event: AppEvent) => void;
  settings?: Partial<Settings>;
  timeouts?: HandlerTimeouts;
  /** Every call of code of an extension: `load`, `event`, `tool`, `command`. */
  called?: (method: string, params: Record<string, unknown>) => void;
}

export interface ExtensionApp {
  host: SessionHost;
  runner: ExtensionRunner;
  bus: ExtensionBus;
  slash: SlashCommands;
  desk: ExtensionDesk;
  events: AppEvent[];
  settings: Settings;
  close(): Promise<void>;
}

/**
 * The app without its window, with all that has to do with extensions as `app/parts.ts` puts it together: sessions on disk, tools,
 * the host, its processes as children of Node, the desk. The person allows every call.
 */
export async function startExtensionApp(options: ExtensionAppOptions): Promise<ExtensionApp> {
  const { home, models, find, answer = () => undefined, shown = () => undefined, hear = () => undefined } = options;
  const folder = (name: string): string => join(home, name);
  const settings = { ...defaultSettings(), 'retry.baseDelayMs': 10, 'retry.maxDelayMs': 50, ...options.settings };
  const events: AppEvent[] = [];
  const emit = (event: AppEvent): void => {
    events.push(event);
    hear(event);
  };
  const store = await createSessionStore({
    dir: folder('sessions'),
    trashDir: folder('trash'),
    outputsDir: folder('outputs'),
    clock: Date.now,
    randomHex,
    log: { warn: () => undefined },
  });
  const approvals: Approvals = await Approvals.open({
    file: folder('approvals.json'),
    ask: ({ choices }) => Promise.resolve(choices[0]?.id ?? null),
    onChange: (event) => {
      if (event.type === 'requested')
        void approvals.answer(event.request.id, event.request.contentHash, 'once').catch(() => undefined);
      const told = approvalChangeOf(event);
      if (told) host.tellApproval(told.sessionId, told.change);
    },
  });
  const files = await newFileWorkers();
  const transport = withExtensionStreams(createInlineTransport(), (provider, sessionId) =>
    runner.streamOf(provider, sessionId),
  );
  const slash = new SlashCommands();
  const toolSources = new ToolSources();
  const desk: ExtensionDesk = new ExtensionDesk({
    tell: (sessionId, change) => {
      host.tellExtension(sessionId, change);
      shown(sessionId, change);
      const given = change.type === 'extension_asks' ? answer(change.question, sessionId) : undefined;
      // As a person: not before it stands there.
      if (change.type === 'extension_asks' && given !== undefined)
        setImmediate(() => desk.answer(sessionId, change.question.id, given));
    },
    emit: (event) => emit(event as AppEvent),
    now: Date.now,
  });
  const bus: ExtensionBus = new ExtensionBus({
    onError: (error) => runner.heard(error),
    ...(options.timeouts ? { timeouts: options.timeouts } : {}),
  });
  const runner: ExtensionRunner = new ExtensionRunner({
    ...{ bus, find, uis: desk },
    book: await ExtensionBook.open(folder('extensions.json')),
    realFolder: (cwd) => realpath(cwd),
    startProcess: tapped(await nodeExtensionProcess(), options.called),
    start: () => ({ agentDir: home, cacheDir: folder('jiti'), version: '0', ...modelsOf(models) }),
    commandsOf: (sessionId) => commandFacts(slash, sessionId),
    whyNoProvider: () => null,
    callModel: modelCaller(models, transport),
    onRegistered: (sessionId) => {
      slash.changed(sessionId);
      toolSources.changed(sessionId);
    },
    log: () => undefined,
    now: Date.now,
    times: PATIENT,
  });
  toolSources.add(toolSource(runner));
  slash.add(commandSource(runner));
  slash.onChanged((sessionId) => runner.commandsChanged(sessionId));
  const resources = new ResourceBook(bus, (sessionId) => slash.changed(sessionId));
  const host: SessionHost = new SessionHost({
    ...{ store, models, transport, slash, emit, resources },
    sessionsDir: folder('sessions'),
    scratchDir: folder('workspaces'),
    serializer: inlineSerializer(),
    extensions: bus,
    shownByExtensions: (sessionId) => desk.shownIn(sessionId),
    extensionHost: runner,
    onClose: (sessionId) => desk.closeSession(sessionId),
    settings: () => settings,
    now: Date.now,
    project: new Project({
      isTrusted: () => Promise.resolve(true),
      isScratch: () => Promise.resolve(false),
      dataDir: home,
      deniedPaths: () => [],
    }),
    createTools: ({ sessionId, workspaceDir, onOutput, activeTools }) =>
      createToolHost({
        ...{ sessionId, workspaceDir, files, approvals, onOutput, activeTools },
        dataDir: home,
        outputsDir: folder('outputs'),
        isTrusted: () => Promise.resolve(true),
        outside: () => toolSources.toolsOf(sessionId),
        settings: () => ({ policy: { write: 'ask', edit: 'ask', bash: 'ask' }, deniedPaths: [] }),
      }),
  });
  const close = async (): Promise<void> => {
    await host.dispose();
    runner.close();
    await store.close();
    await Promise.all([transport.close(), files.close()]);
  };
  return { host, runner, bus, slash, desk, events, settings, close };
}

/** Tells what is sent to a process, and changes nothing of it. */
function tapped(start: () => ExtensionProcess, called: ExtensionAppOptions['called']): () => ExtensionProcess {
  if (!called) return start;
  return () => {
    const process = start();
    return {
      ...process,
      postMessage: (message) => {
        const { method, params } = message as { method?: unknown; params?: unknown };
        if (typeof method === 'string' && isRecord(params)) called(method, params);
        process.postMessage(message);
      },
    };
  };
}
