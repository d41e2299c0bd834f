import { isRecord } from '@shared/checks';
import type { ExtensionBus } from '../bus';
import type { HandlerMoment } from '../events';
import { GoneError, type RpcSide } from '../process/rpc';
import type { WireExtension, WireFacts, WireProvider, WireStart } from '../process/wire';
import { checkProvider, type ExtensionProvider } from '../../models/extension-providers';
import { flawOfSchema } from '../plain-schema';
import { checkAsked, checkRegistrations, checkReply } from './check-wire';
import { ExtensionCalls } from './extension-calls';
import { Failures } from './failures';
import type { Fault } from './fault-log';
import { type Ending, type ExtensionProcess, type ProcessTimes, ScopeProcess } from './scope-process';
import { SessionExtension } from './session-extension';

/** Of one session, what a scope needs of it. */
export interface ScopeSession {
  sessionId: string;
  facts(): WireFacts;
  /** What its composer holds. */
  editorText(): string;
}

export interface ScopePorts {
  bus: ExtensionBus;
  startProcess: () => ExtensionProcess;
  start: () => WireStart;
  times: ProcessTimes;
  now: () => number;
  /** Calls that extensions make; see `answers.ts`. */
  answer: (what: string, asked: Asked, params: unknown, signal: AbortSignal) => unknown;
  show: (asked: Asked) => void;
  /** What a terminal view shows; unchecked. */
  draw: (extension: SessionExtension, view: string, frame: unknown) => void;
  /** Something went wrong in an extension; null: nobody knows in which. */
  report: (extensionId: string | null, sessionId: string | null, fault: Fault) => void;
  /** One rests, or all do (null). */
  rests: (extensionId: string | null) => void;
  /** Why a provider of this name can't be one of an extension; null: it can. */
  whyNoProvider: (id: string, extensionId: string) => string | null;
  /** Files of its extensions are others now. */
  filesChanged: () => void;
  /** What an extension has registered is something else now. */
  changed: (sessionId: string) => void;
}

export interface Asked {
  extension: SessionExtension;
  method: string;
  args: readonly unknown[];
}

interface Member {
  session: ScopeSession;
  extensions: Map<string, SessionExtension>;
  /** Resolves when they are loaded in the process that runs now. */
  ready: Promise<void>;
  /** What the process was told of it is old. */
  isStale: boolean;
  /** `session_start` was told to others while it was loaded. */
  isLate: boolean;
}

/** A process that is started again after a while. */
interface Restart {
  begun: Promise<void>;
  /** Now: whoever waited goes on. */
  begin: () => void;
}

/** The extensions of one scope: its process, and what there is of them in each session (EX12). The process is started when it is needed, and again when it ended. */
export class ScopeHost implements RpcSide {
  private process: ScopeProcess | null = null;
  private readonly members = new Map<string, Member>();
  private readonly failures: Failures;
  /** Calls of what its extensions have registered. */
  readonly calls = new ExtensionCalls({
    ready: (extension) => this.readyProcess(extension),
    running: () => this.process,
    isThere: (extension) => this.of(extension.sessionId).includes(extension),
    report: (extensionId, sessionId, fault) => this.ports.report(extensionId, sessionId, fault),
  });
  /** A process that ended is started again later. */
  private restart: Restart | null = null;
  private isClosed = false;

  constructor(private readonly ports: ScopePorts) {
    this.failures = new Failures(ports.now);
  }

  get isRunning(): boolean {
    return this.process !== null;
  }

  /** Loads extensions for a session. Resolves when they are loaded, or have failed; never rejects. */
  async attach(session: ScopeSession, extensions: readonly WireExtension[]): Promise<void> {
    this.detach(session.sessionId);
    if (extensions.length === 0 || this.isClosed) return;
    const member: Member = { session, extensions: new Map(), ready: Promise.resolve(), isStale: false, isLate: false };
    for (const extension of extensions) {
      const made: SessionExtension = new SessionExtension(
        session.sessionId,
        extension,
        this.ports.bus,
        (nth, payload, moment) => this.callHandler(made, nth, payload, moment),
      );
      member.extensions.set(extension.id, made);
    }
    this.members.set(session.sessionId, member);
    member.ready = this.restart ? this.restart.begun.then(() => this.load(member)) : this.load(member);
    await member.ready;
    if (member.isLate) await this.greet(member);
  }

  /** A session goes on without waiting for its extensions: they hear that it began when they are loaded. */
  goOnWithout(sessionId: string): void {
    const member = this.members.get(sessionId);
    if (member) member.isLate = true;
  }

  detach(sessionId: string): void {
    const member = this.members.get(sessionId);
    if (!member) return;
    this.members.delete(sessionId);
    for (const extension of member.extensions.values()) extension.end();
    void this.process?.ask('close', { sessionId });
    if (this.members.size === 0) this.stop('Nothing needs it.');
  }

  of(sessionId: string): SessionExtension[] {
    return [...(this.members.get(sessionId)?.extensions.values() ?? [])];
  }

  /** Facts of a session have changed: it is told before the next call, or soon. */
  factsChanged(sessionId: string): void {
    const member = this.members.get(sessionId);
    if (!member || member.isStale) return;
    member.isStale = true;
    setTimeout(() => this.refresh(member), FACTS_SOON_MS).unref();
  }

  tellAll(method: 'models' | 'modelEvent' | 'editor', params: unknown): void {
    this.process?.tell(method, params);
  }

  /** The person, or a change of files, gives it another chance. */
  forgive(): void {
    this.failures.forget();
  }

  /** Ends the process; what is attached stays, and is loaded in the next. */
  stop(why: string): void {
    this.restart?.begin();
    const { process } = this;
    this.process = null;
    process?.kill(why);
  }

  close(): void {
    this.isClosed = true;
    for (const sessionId of [...this.members.keys()]) this.detach(sessionId);
    this.stop('Espalier quits.');
  }

  async call(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const asked = this.askedOf(params);
    if (!asked) throw new Error('This session or extension is gone.');
    // An editor in the place of the composer's field asks nothing: it is there until it is taken away.
    const asksPerson = method === 'ui' && asked.method !== 'editor view';
    const goOn = asksPerson ? asked.extension.waitForPerson() : () => undefined;
    try {
      return await this.ports.answer(method, asked, params, signal);
    } finally {
      goOn();
    }
  }

  tell(method: string, params: unknown): void {
    if (method === 'filesChanged') return this.ports.filesChanged();
    if (!isRecord(params)) return;
    const fault: Fault = { event: textOf(params.event), error: textOf(params.message) };
    if (typeof params.stack === 'string') fault.stack = params.stack;
    if (method === 'stray') return this.ports.report(null, null, { ...fault, event: 'a timer or promise' });
    if (method === 'partial') return this.calls.hear(textOf(params.callId), params.partial);
    const extension = this.members.get(textOf(params.sessionId))?.extensions.get(textOf(params.extensionId));
    if (!extension) return;
    if (method === 'frame') return this.ports.draw(extension, textOf(params.view), params.frame);
    if (method === 'problem') this.ports.report(extension.extension.id, extension.sessionId, fault);
    if (method === 'registered') this.register(extension, params);
    const asked = method === 'ui' ? this.askedOf(params) : null;
    if (asked) this.ports.show(asked);
  }

  private askedOf(params: unknown): Asked | null {
    const asked = checkAsked(
      isRecord(params) && params.method === undefined ? { ...params, method: 'model', args: [] } : params,
    );
    const extension = asked && this.members.get(asked.sessionId)?.extensions.get(asked.extensionId);
    return asked && extension ? { extension, method: asked.method, args: asked.args } : null;
  }

  private async callHandler(
    extension: SessionExtension,
    nth: { event: string; n: number },
    payload: Record<string, unknown>,
    { signal }: HandlerMoment,
  ): Promise<unknown> {
    const process = await this.readyProcess(extension);
    const handlerId = extension.handlerId(nth);
    const { event } = nth;
    // It was loaded again, and has this handler no more. What may guard a call lets nothing through unasked (EX2).
    if (handlerId === undefined && event === 'tool_call') throw new Error('The extension could not be loaded again.');
    if (handlerId === undefined) return undefined;
    const { sessionId } = extension;
    const { signal: _signal, ...plain } = payload;
    const answer = await process.call(
      'event',
      { sessionId, handlerId, event, payload: plain },
      { ...this.culprit(extension), doing: event },
      { signal },
    );
    const { result, changed } = checkReply(answer);
    Object.assign(payload, changed);
    return result;
  }

  /** Waits while its extensions are loaded; the bus has the time-out. */
  private async readyProcess(extension: SessionExtension): Promise<ScopeProcess> {
    const member = this.members.get(extension.sessionId);
    await member?.ready;
    if (!member || !this.process) throw new Error('The extension is not running.');
    this.refresh(member);
    return this.process;
  }

  private culprit({ sessionId, extension }: SessionExtension): { sessionId: string; extensionId: string } {
    return { sessionId, extensionId: extension.id };
  }

  private refresh(member: Member): void {
    if (!member.isStale) return;
    member.isStale = false;
    this.process?.tell('facts', member.session.facts());
  }

  private async load(member: Member): Promise<void> {
    const { sessionId } = member.session;
    // It was closed, or began anew, while this waited.
    if (this.members.get(sessionId) !== member) return;
    const process = (this.process ??= this.startProcess());
    const isOver = (): boolean => this.members.get(sessionId) !== member || this.process !== process;
    const { session } = member;
    await process.ask('open', { facts: { ...session.facts(), editorText: session.editorText() } });
    // One by one: who hangs or ends the process is known by name, and the order is that of loading.
    for (const made of member.extensions.values()) {
      // Where the process ended, that says it.
      if (isOver()) return;
      const { extension } = made;
      try {
        const doing = { ...this.culprit(made), doing: 'load' };
        const limit = { timeoutMs: this.ports.times.loadMs };
        const registered = await process.call('load', { sessionId, extension }, doing, limit);
        if (!isOver()) this.register(made, registered);
      } catch (error) {
        if (isOver()) return;
        const { message, stack } = error as Error;
        this.ports.report(extension.id, sessionId, { event: 'load', error: message, stack });
      }
    }
    if (!isOver()) this.ports.changed(sessionId);
  }

  /** What of its providers can be used; the rest is said. */
  private usable({ extension, sessionId }: SessionExtension, given: readonly WireProvider[]): ExtensionProvider[] {
    return given.flatMap(({ id, config }) => {
      const checked = checkProvider(extension.name, id, config);
      const problem = checked.ok ? this.ports.whyNoProvider(id, extension.id) : checked.problem;
      if (checked.ok && problem === null) return [checked.value];
      this.ports.report(extension.id, sessionId, { event: 'registerProvider', error: problem ?? '' });
      return [];
    });
  }

  private register(extension: SessionExtension, registered: unknown): void {
    const fail = (error: string): void =>
      this.ports.report(extension.extension.id, extension.sessionId, { event: 'registerTool', error });
    try {
      const checked = checkRegistrations(registered);
      const tools = checked.tools.filter(({ name, parameters }) => {
        const flaw = flawOfSchema(parameters);
        if (flaw !== null) fail(`The tool “${name}” is left out. ${flaw}`);
        return flaw === null;
      });
      extension.take({ ...checked, tools }, this.usable(extension, checked.providers));
      this.ports.changed(extension.sessionId);
    } catch (error) {
      this.ports.report(extension.extension.id, extension.sessionId, {
        event: 'load',
        error: (error as Error).message,
      });
    }
  }

  private startProcess(): ScopeProcess {
    const { startProcess, start, times } = this.ports;
    const process: ScopeProcess = new ScopeProcess(startProcess(), start(), this, times, (ending) => {
      if (this.process === process) this.ended(ending);
    });
    return process;
  }

  /** The process has ended by itself, or was ended because it hung: it is started again after a while, without who rests. */
  private ended({ why, culprit }: Ending): void {
    this.process = null;
    const extensionId = culprit?.extensionId ?? null;
    const { waitMs, rests } = this.failures.note(extensionId);
    this.ports.report(extensionId, culprit?.sessionId ?? null, { event: culprit?.doing ?? 'its process', error: why });
    if (rests) this.rest(extensionId);
    for (const { extensions } of this.members.values()) for (const each of extensions.values()) each.rest();
    if (this.isClosed || ![...this.members.values()].some(({ extensions }) => extensions.size > 0)) return;
    const members = [...this.members.values()];
    this.restart = this.restartIn(waitMs);
    for (const member of members) {
      member.ready = this.restart.begun.then(() => this.load(member));
      void member.ready.then(() => this.greet(member));
    }
  }

  private restartIn(waitMs: number): Restart {
    let resolve: () => void = () => undefined;
    const begun = new Promise<void>((done) => (resolve = done));
    const begin = (): void => {
      clearTimeout(timer);
      if (this.restart === restart) this.restart = null;
      resolve();
    };
    const timer = setTimeout(begin, waitMs);
    const restart: Restart = { begun, begin };
    return restart;
  }

  /** What was made anew after the process ended hears that its session begins, as after a reload. */
  private async greet(member: Member): Promise<void> {
    const { process } = this;
    for (const made of member.extensions.values()) {
      const { sessionId, extension } = made;
      for (let n = 0, id = 0; ; n += 1) {
        id = made.handlerId({ event: 'session_start', n }) ?? -1;
        if (id < 0 || !process) break;
        const params = { sessionId, handlerId: id, event: 'session_start', payload: { reason: 'reload' } };
        const doing = { ...this.culprit(made), doing: 'session_start' };
        await process.call('event', params, doing, { timeoutMs: GREET_MS }).catch((error: Error) => {
          if (error instanceof GoneError) return;
          const { message, stack } = error;
          this.ports.report(extension.id, sessionId, { event: 'session_start', error: message, stack });
        });
      }
    }
  }

  private rest(extensionId: string | null): void {
    for (const { extensions } of this.members.values())
      for (const [id, extension] of [...extensions]) {
        if (extensionId !== null && id !== extensionId) continue;
        extension.end();
        extensions.delete(id);
      }
    this.ports.rests(extensionId);
  }
}

/** Facts that have changed are told by then, also where no event follows. */
const FACTS_SOON_MS = 100;
const GREET_MS = 10_000;

/** What a process says may be anything: of an object nothing is called. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
