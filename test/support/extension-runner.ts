import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExtensionBus } from '../../src/main/extensions/bus';
import { ExtensionBook } from '../../src/main/extensions/host/extension-book';
import { ExtensionRunner, type ExtensionHostPorts } from '../../src/main/extensions/host/extension-host';
import { findExtensions } from '../../src/main/project/extension-files';
import type { TerminalFrame } from '../../src/shared/extensions/terminal';
import type { ExtensionView } from '../../src/shared/extensions/view';
import type { SessionDoor, SessionFacts } from '../../src/main/extensions/session-door';
import { checkFrame } from '../../src/main/extensions/ui/check-frame';
import type { ExtensionUi, HeardText, OpenedView, TerminalSize } from '../../src/main/extensions/ui/extension-ui';
import { nodeExtensionProcess } from './extension-process';

/** What extensions have shown and asked, and what they are answered. */
class HeardUi implements ExtensionUi {
  readonly said: unknown[][] = [];
  readonly answers = new Map<string, unknown>();
  notify = (...args: unknown[]): void => void this.said.push(['notify', ...args]);
  noticesLeftOut = (...args: unknown[]): void => void this.said.push(['noticesLeftOut', ...args]);
  setStatus = (...args: unknown[]): void => void this.said.push(['setStatus', ...args]);
  setWidget = (...args: unknown[]): void => void this.said.push(['setWidget', ...args]);
  readonly drawn = new Map<string, TerminalFrame | null>();
  setDrawn = (key: string, frame: unknown, placement: unknown): void =>
    void this.drawn.set(`${String(placement)} ${key}`, frame === undefined ? null : checkFrame(frame));
  setDraws = (): void => undefined;
  setTitle = (...args: unknown[]): void => void this.said.push(['setTitle', ...args]);
  setEditorText = (...args: unknown[]): void => void this.said.push(['setEditorText', ...args]);
  pasteToEditor = (...args: unknown[]): void => void this.said.push(['pasteToEditor', ...args]);
  setWorkingMessage = (...args: unknown[]): void => void this.said.push(['setWorkingMessage', ...args]);
  setWorkingIndicator = (...args: unknown[]): void => void this.said.push(['setWorkingIndicator', ...args]);
  setWorkingVisible = (...args: unknown[]): void => void this.said.push(['setWorkingVisible', ...args]);
  setHiddenThinkingLabel = (...args: unknown[]): void => void this.said.push(['setHiddenThinkingLabel', ...args]);
  setCompletes = (...args: unknown[]): void => void this.said.push(['setCompletes', ...args]);
  editorSays = (...args: unknown[]): void => void this.said.push(['editorSays', ...args]);
  failed = (...args: unknown[]): void => void this.said.push(['failed', ...args]);
  select = (...args: unknown[]) => this.ask<string | undefined>('select', args);
  confirm = (...args: unknown[]) => this.ask<boolean>('confirm', args);
  input = (...args: unknown[]) => this.ask<string | undefined>('input', args);
  editor = (...args: unknown[]) => this.ask<string | undefined>('editor', args);
  /** Views that were opened, and what each showed last. */
  readonly views = new Map<string, OpenedView & { frame?: TerminalFrame; close: () => void; isOpen: boolean }>();
  openView = (view: OpenedView, { signal }: { signal: AbortSignal }): Promise<void> =>
    new Promise((resolve) => {
      const close = (): void => {
        shown.isOpen = false;
        resolve();
      };
      const shown = { ...view, close, isOpen: true };
      this.views.set(view.key, shown);
      signal.addEventListener('abort', close);
    });
  openEditor = (view: Omit<OpenedView, 'isOverlay'>, how: { signal: AbortSignal }): Promise<void> =>
    this.openView({ ...view, isOverlay: false }, how);
  draw = (key: string, given: unknown): void => {
    const view = this.views.get(key);
    const frame = checkFrame(given);
    if (view && frame) view.frame = frame;
  };
  editorText = '';
  private readonly readers = new Set<HeardText>();
  getEditorText = (): string => this.editorText;
  onEditorText = (reader: HeardText) => {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  };
  /** The composer holds something else now. */
  holds = (text: string): void => {
    this.editorText = text;
    this.readers.forEach((reader) => reader(text, false));
  };
  end = (): void => undefined;

  private ask<T>(method: string, args: unknown[]): Promise<T> {
    this.said.push([method, ...args.slice(0, 2)]);
    return Promise.resolve(this.answers.get(method) as T);
  }
}

export interface RunningHost {
  runner: ExtensionRunner;
  bus: ExtensionBus;
  ui: HeardUi;
  /** Calls of the session's door. */
  done: [string, ...unknown[]][];
  facts: SessionFacts;
  factsChanged: () => void;
  sessionId: string;
  view: (name: string) => Promise<ExtensionView | undefined>;
}

const SESSION = 'session-1';
/** Short: what hangs is found soon. */
const TIMES = { beatMs: 100, missedBeats: 30, loadMs: 60_000 };

/** The production host over processes of Node, with one session that has these extensions: by file name, what stands in it. */
export async function runExtensions(
  files: Record<string, string>,
  more: Partial<ExtensionHostPorts> & {
    facts?: Partial<SessionFacts>;
    beforeMs?: number;
    terminal?: TerminalSize;
  } = {},
): Promise<RunningHost> {
  const data = mkdtempSync(join(tmpdir(), 'extensions-'));
  const folder = join(data, 'extensions');
  for (const [name, body] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), body);
  }
  const ui = new HeardUi();
  const done: RunningHost['done'] = [];
  const bus: ExtensionBus = new ExtensionBus({
    onError: (error) => runner.heard(error),
    timeouts: { before: more.beforeMs ?? 60_000, other: 30_000 },
  });
  const runner: ExtensionRunner = new ExtensionRunner({
    bus,
    book: await ExtensionBook.open(join(data, 'extensions.json')),
    uis: { uiFor: () => ui, terminalOf: () => more.terminal },
    find: async () => [{ workspace: null, extensions: await findExtensions(folder, 'extensions') }],
    realFolder: (cwd) => realpath(cwd),
    startProcess: await nodeExtensionProcess(),
    start: () => ({ agentDir: data, cacheDir: join(data, 'cache'), models: [], available: [], version: '0' }),
    commandsOf: () => Promise.resolve([]),
    whyNoProvider: () => null,
    callModel: () => Promise.reject(new Error('There is no model here.')),
    onRegistered: () => undefined,
    log: () => undefined,
    now: Date.now,
    times: TIMES,
    ...more,
  });
  const facts: SessionFacts = {
    ...{ sessionId: SESSION, cwd: data, file: join(data, 'session.jsonl'), dir: data },
    header: { type: 'session', version: 3, id: SESSION, timestamp: new Date(0).toISOString(), cwd: data } as never,
    ...{ name: 'A name', leafId: null, model: undefined, thinkingLevel: 'off', isIdle: true, hasPending: false },
    contextUsage: { tokens: 10, window: 1000, percent: 1, threshold: null, reserve: 0, exact: true } as never,
    ...{ activeTools: ['read'], allTools: [], systemPrompt: 'Be brief.', isTrusted: true },
    ...more.facts,
  };
  const listeners = new Set<() => void>();
  const door = new Proxy({} as SessionDoor, {
    get: (_target, method) => {
      if (method === 'sessionId') return SESSION;
      if (method === 'facts') return () => facts;
      if (method === 'onFacts')
        return (listener: () => void) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        };
      if (method === 'reload')
        return async () => {
          await runner.detach(SESSION);
          await runner.attach(door);
        };
      return (...args: unknown[]) => {
        done.push([String(method), ...args]);
        return Promise.resolve(method === 'appendEntry' ? 'entry-1' : undefined);
      };
    },
  });
  await runner.attach(door);
  const view = async (name: string) => (await runner.list()).find((each) => each.name === name);
  return {
    runner,
    bus,
    ui,
    done,
    facts,
    factsChanged: () => listeners.forEach((each) => each()),
    sessionId: SESSION,
    view,
  };
}
