import type { ExtensionCompletion } from '@shared/extensions/ui';
import type { ExtensionMode, ExtensionView } from '@shared/extensions/view';
import type { ExtensionProvider } from '../../models/extension-providers';
import { isAtOrBelow } from '../../places/protected-paths';
import type { ExtensionBus } from '../bus';
import type { ExtensionError } from '../events';
import type { ExtensionHostView } from '../host-view';
import type { WireExtension, WireFacts, WireDraw, WireStart, WireTerminalInput } from '../process/wire';
import type { ExtensionHost, SessionDoor } from '../session-door';
import type { TerminalFrame } from '@shared/extensions/terminal';
import { checkCompletions } from '../ui/check-completions';
import { checkFrame } from '../ui/check-frame';
import type { ExtensionUis } from '../ui/extension-ui';
import { answerDialog, answerDoor, answerShow } from './answers';
import type { ExtensionBook } from './extension-book';
import { type FoundScope, KnownExtensions } from './known-extensions';
import type { Fault } from './fault-log';
import { mayStream, type OwnedProvider, ownProviders, whyOwned } from './own-providers';
import { type Asked, ScopeHost, type ScopeSession } from './scope-host';
import { type ExtensionProcess, INNOCENT, PROCESS_TIMES, type ProcessTimes } from './scope-process';
import type { SessionExtension } from './session-extension';
import { Soon } from './soon';
import type { StreamCode } from './stream-transport';

export interface ExtensionHostPorts {
  bus: ExtensionBus;
  book: ExtensionBook;
  uis: ExtensionUis;
  /** What is there for a folder now: the person's own, then the workspace's if it is trusted. Never rejects. */
  find: (cwd: string) => Promise<readonly FoundScope[]>;
  /** Where a folder really is: a session may have come to it by a link. Never rejects. */
  realFolder: (cwd: string) => Promise<string>;
  startProcess: () => ExtensionProcess;
  start: () => WireStart;
  /** What is said of commands to extensions, in pi's shape. Never rejects. */
  commandsOf: (sessionId: string) => Promise<readonly unknown[]>;
  /** Why a provider of this name can't be one of an extension; null: it can. */
  whyNoProvider: (id: string) => string | null;
  /** Sends a request of an extension to a model. */
  callModel: (params: unknown, tell: (event: unknown) => void, signal: AbortSignal) => Promise<unknown>;
  /** Tools or commands of a session are others now. */
  onRegistered: (sessionId: string) => void;
  log: (line: string) => void;
  now: () => number;
  times?: ProcessTimes;
}

interface Session {
  door: SessionDoor;
  offFacts: () => void;
  commands: readonly unknown[];
  /** The trusted workspace that was found for it, by its real path. */
  workspace: string | null;
}

const USER = '';
const COMMANDS_SOON_MS = 200;
const FILES_SOON_MS = 500;
/** So long a session waits for its extensions at most. Milliseconds. */
const ATTACH_MS = 20_000;

/** Runs extensions (EX11 to EX17): finds them, keeps a process for each scope, lets them take part through the bus, and tells what there is of them. */
export class ExtensionRunner implements ExtensionHost, ExtensionHostView {
  private readonly scopes = new Map<string, ScopeHost>();
  private readonly sessions = new Map<string, Session>();
  private readonly known: KnownExtensions;
  private readonly listeners = new Set<() => void>();
  private reloading: Promise<void> = Promise.resolve();
  private readonly changedFiles = new Soon<string>(FILES_SOON_MS, (workspace) => void this.reloadIn(workspace));
  /** Many changes at once are one. */
  private readonly readCommands = new Soon<Session>(COMMANDS_SOON_MS, (session) => void this.readCommandsOf(session));

  constructor(private readonly ports: ExtensionHostPorts) {
    this.known = new KnownExtensions(ports.book, ports.now);
  }

  async attach(door: SessionDoor): Promise<void> {
    const { sessionId } = door;
    await this.detach(sessionId);
    const offFacts = door.onFacts(() => this.factsChanged(sessionId));
    const session: Session = { door, commands: [], workspace: null, offFacts };
    this.sessions.set(sessionId, session);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ATTACH_MS))).then(() =>
      this.scopes.forEach((scope) => scope.goOnWithout(sessionId)),
    );
    await Promise.race([this.attachAll(session).catch(() => undefined), late]);
    clearTimeout(timer);
  }

  detach(sessionId: string): Promise<void> {
    const session = this.sessions.get(sessionId);
    this.sessions.delete(sessionId);
    session?.offFacts();
    for (const scope of this.scopes.values()) {
      for (const { extension } of scope.of(sessionId)) this.ports.uis.uiFor(sessionId, extension).end();
      scope.detach(sessionId);
    }
    return Promise.resolve();
  }

  /** Extensions of a session, in the order of loading. */
  extensionsOf(sessionId: string): { extension: SessionExtension; scope: ScopeHost }[] {
    return [...this.scopes.values()].flatMap((scope) => scope.of(sessionId).map((extension) => ({ extension, scope })));
  }

  /** Providers of all extensions in all sessions, the first of a name. */
  providers(): ExtensionProvider[] {
    return [...this.ownProviders().values()].map(({ provider }) => provider);
  }

  private ownProviders(): Map<string, OwnedProvider> {
    const all = [...this.sessions.keys()].flatMap((sessionId) => this.extensionsOf(sessionId));
    return ownProviders(all.map(({ extension }) => extension));
  }

  /** Whose code streams the replies of a provider: in a session, else in any. Null: nobody's, main does. */
  streamOf(provider: string, sessionId: string | undefined): StreamCode | null {
    const owned = this.ownProviders().get(provider);
    if (!owned) return null;
    const sessions = [...new Set([...(sessionId === undefined ? [] : [sessionId]), ...this.sessions.keys()])];
    for (const { extension, scope } of sessions.flatMap((id) => this.extensionsOf(id)))
      if (mayStream(extension, owned)) return (request, how) => scope.calls.stream(extension, request, how);
    return null;
  }

  /** A folder is trusted now, or no longer: its sessions begin anew. */
  async trustChanged(folders: readonly string[]): Promise<void> {
    const isIn = (path: string): boolean => folders.some((folder) => isAtOrBelow(path, folder));
    const meant = new Set<string>();
    await Promise.all(
      [...this.sessions.values()].map(async ({ door }) => {
        const { cwd } = door.facts();
        if (isIn(cwd) || isIn(await this.ports.realFolder(cwd))) meant.add(door.sessionId);
      }),
    );
    await this.attachAgain(({ door }) => meant.has(door.sessionId));
    // What nobody may load any more is not listed.
    const used = new Set([...this.sessions.values()].map(({ workspace }) => workspace));
    this.known.drop((workspace) => isIn(workspace) && !used.has(workspace));
    this.changed();
  }

  /** Everything that the bus hears of. */
  heard({ extensionPath, event, error, stack }: ExtensionError): void {
    const id = this.known.idAt(extensionPath);
    if (id === undefined || error === INNOCENT) return;
    this.report(id, null, { event, error, ...(stack === undefined ? {} : { stack }) });
  }

  async list(): Promise<ExtensionView[]> {
    if (this.sessions.size === 0) await this.look('');
    return this.known.ids().map((id) => this.known.viewOf(id, this.liveOf(id)));
  }

  async setEnabled(id: string, enabled: boolean): Promise<void> {
    this.known.nameOf(id);
    await this.ports.book.setOn(id, enabled);
    this.known.forget(id);
    await this.attachAgain();
  }

  async setMode(id: string, mode: ExtensionMode): Promise<void> {
    this.known.nameOf(id);
    await this.ports.book.setMode(id, mode);
    await this.attachAgain();
  }

  async reload(id?: string): Promise<void> {
    if (id !== undefined) this.known.nameOf(id);
    for (const each of id === undefined ? this.known.ids() : [id]) this.known.forget(each);
    this.scopes.forEach((scope) => scope.forgive());
    await this.attachAgain();
  }

  /** Files of a workspace's extensions have changed: these alone are loaded again (EX17). */
  private async reloadIn(workspace: string): Promise<void> {
    for (const id of this.known.ids(workspace)) this.known.forget(id);
    this.scopes.get(workspace)?.forgive();
    await this.attachAgain((session) => session.workspace === workspace);
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** What can be said behind a slash is something else now; null: in all sessions. */
  commandsChanged(sessionId: string | null): void {
    for (const [id, session] of this.sessions)
      if ((sessionId === null || id === sessionId) && this.extensionsOf(id).length > 0) this.readCommands.soon(session);
  }

  /** Which models there are, or can be used, is something else now. */
  modelsChanged(): void {
    const { models, available } = this.ports.start();
    for (const scope of this.scopes.values()) scope.tellAll('models', { models, available });
  }

  close(): void {
    this.readCommands.end();
    this.changedFiles.end();
    for (const scope of this.scopes.values()) scope.close();
    for (const { offFacts } of this.sessions.values()) offFacts();
    this.sessions.clear();
  }

  private async attachAll(session: Session): Promise<void> {
    const { door } = session;
    const found = await this.look(door.facts().cwd);
    session.workspace = found.find(({ workspace }) => workspace !== null)?.workspace ?? null;
    for (const { workspace, extensions } of found) {
      const wire = extensions.flatMap((extension) => this.known.wireOf(extension, workspace) ?? []);
      if (wire.length === 0 || this.sessions.get(door.sessionId) !== session) continue;
      this.known.setLoading(wire, true);
      this.changed();
      const scope = this.scopeOf(workspace ?? USER);
      await scope.attach(this.scopeSession(session, scope, wire), wire);
      this.known.setLoading(wire, false);
      this.changed();
    }
    if (this.extensionsOf(door.sessionId).length > 0) await this.readCommandsOf(session);
  }

  /** All sessions anew, one after the other: `session_shutdown`, the extensions, `session_start`. */
  private attachAgain(isMeant: (session: Session) => boolean = () => true): Promise<void> {
    const again = this.reloading.then(async () => {
      this.changed();
      for (const session of [...this.sessions.values()].filter(isMeant)) {
        await session.door
          .reload()
          .catch((error: unknown) => this.ports.log(`Extensions were not loaded again: ${String(error)}`));
      }
      if (this.sessions.size === 0) await this.look('');
      this.changed();
    });
    this.reloading = again.catch(() => undefined);
    return again;
  }

  /** What a scope is told of a session: what the composer holds, by the first of its extensions. */
  private scopeSession(session: Session, scope: ScopeHost, [first]: readonly WireExtension[]): ScopeSession {
    const { sessionId } = session.door;
    const ui = first && this.ports.uis.uiFor(sessionId, first);
    ui?.onEditorText((text, isTyped) => scope.tellAll('editor', { sessionId, text, isTyped }));
    return { sessionId, facts: () => this.factsOf(session), editorText: () => ui?.getEditorText() ?? '' };
  }

  private async look(cwd: string): Promise<readonly FoundScope[]> {
    const found = await this.ports.find(cwd);
    this.known.take(found);
    return found;
  }

  private scopeOf(key: string): ScopeHost {
    const known = this.scopes.get(key);
    if (known) return known;
    const { bus, startProcess, start, now, times = PROCESS_TIMES } = this.ports;
    const scope: ScopeHost = new ScopeHost({
      ...{ bus, startProcess, start, now, times },
      whyNoProvider: (id, extensionId) =>
        this.ports.whyNoProvider(id) ?? whyOwned(this.ownProviders().get(id), extensionId),
      answer: (what, asked, params, signal) => this.answer(scope, what, asked, params, signal),
      show: (asked) => this.show(asked),
      draw: ({ sessionId, extension }, view, frame) => this.ports.uis.uiFor(sessionId, extension).draw(view, frame),
      report: (id, sessionId, fault) => this.report(id, sessionId, fault),
      rests: (id) => {
        this.known.rests(key === USER ? null : key, id);
        this.changed();
      },
      filesChanged: () => this.changedFiles.soon(key),
      changed: (sessionId) => {
        this.ports.onRegistered(sessionId);
        this.tellDraws(sessionId);
        this.changed();
      },
    });
    this.scopes.set(key, scope);
    return scope;
  }

  private answer(scope: ScopeHost, what: string, asked: Asked, params: unknown, signal: AbortSignal): unknown {
    const { extension, method, args } = asked;
    const { sessionId } = extension;
    const session = this.sessions.get(sessionId);
    if (!session) throw new Error('The session is closed.');
    this.known.noteUse(
      extension.extension.id,
      what === 'model' ? 'models' : `${what === 'ui' ? 'ctx.ui' : 'pi'}.${method}`,
    );
    if (what === 'door') return answerDoor(session.door, method, args);
    if (what === 'ui' && (method === 'view' || method === 'editor view')) return this.openView(scope, asked, signal);
    if (what === 'ui') return answerDialog(this.ports.uis.uiFor(sessionId, extension.extension), method, args, signal);
    if (what !== 'model') throw new Error(`Nothing answers to ${what}.`);
    const { stream } = params as { stream: unknown };
    return this.ports.callModel(params, (event) => scope.tellAll('modelEvent', { stream, event }), signal);
  }

  /** What an extension draws of an entry or of a call, checked; null: nothing. */
  async draw(sessionId: string, name: string, what: WireDraw): Promise<TerminalFrame | null> {
    const by = this.extensionsOf(sessionId).find(({ extension: { draws } }) =>
      (what.of === 'entry' ? draws.types : draws.tools).includes(name),
    );
    return by ? checkFrame(await by.scope.calls.draw(by.extension, what)) : null;
  }

  /** What extensions would write at the cursor of the composer, the last loaded first; null: nothing. */
  async complete(sessionId: string, text: string, caret: number): Promise<ExtensionCompletion[] | null> {
    for (const { extension, scope } of this.extensionsOf(sessionId).reverse()) {
      const found = checkCompletions(await scope.calls.complete(extension, text, caret), text);
      if (found) return found;
    }
    return null;
  }

  private tellDraws(sessionId: string): void {
    for (const { extension } of this.extensionsOf(sessionId))
      this.ports.uis.uiFor(sessionId, extension.extension).setDraws(extension.draws);
  }

  private openView(scope: ScopeHost, { extension, method, args }: Asked, signal: AbortSignal): Promise<void> {
    const [key, isOverlay] = args;
    const view = {
      key: String(key),
      isOverlay: isOverlay === true,
      take: (what: WireTerminalInput) => void scope.calls.terminal(extension, String(key), what),
    };
    const ui = this.ports.uis.uiFor(extension.sessionId, extension.extension);
    return method === 'view' ? ui.openView(view, { signal }) : ui.openEditor(view, { signal });
  }

  private show({ extension, method, args }: Asked): void {
    this.known.noteUse(extension.extension.id, `ctx.ui.${method}`);
    answerShow(this.ports.uis.uiFor(extension.sessionId, extension.extension), method, args);
  }

  private liveOf(id: string): SessionExtension[] {
    return [...this.sessions.keys()].flatMap((sessionId) =>
      this.extensionsOf(sessionId).flatMap(({ extension }) => (extension.extension.id === id ? [extension] : [])),
    );
  }

  private report(id: string | null, sessionId: string | null, fault: Fault): void {
    const { event, error } = fault;
    if (id === null || !this.known.has(id)) return this.ports.log(`An extension, ${event}: ${error.slice(0, 200)}`);
    const isNew = this.known.noteFault(id, fault);
    this.ports.log(`Extension ${this.known.nameOf(id)}, ${event}: ${error.slice(0, 200)}`);
    const name = this.known.nameOf(id);
    for (const each of sessionId === null ? this.sessions.keys() : [sessionId])
      if (isNew) this.ports.uis.uiFor(each, { id, name }).failed(error);
    this.changed();
  }

  /** The window of a session has another size now. */
  sizeChanged(sessionId: string): void {
    this.factsChanged(sessionId);
  }

  private async readCommandsOf(session: Session): Promise<void> {
    const { sessionId } = session.door;
    session.commands = await this.ports.commandsOf(sessionId);
    if (this.sessions.get(sessionId) === session) this.factsChanged(sessionId);
  }

  private factsChanged(sessionId: string): void {
    for (const scope of this.scopes.values()) scope.factsChanged(sessionId);
  }

  private factsOf({ door, commands }: Session): WireFacts {
    const { contextUsage, ...facts } = door.facts();
    const { tokens, window: contextWindow, percent } = contextUsage;
    return {
      ...facts,
      contextUsage: contextWindow > 0 ? { tokens, contextWindow, percent } : undefined,
      commands,
      editorText: '',
      terminal: this.ports.uis.terminalOf(door.sessionId),
    };
  }

  private changed(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
