import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '@shared/checks';
import { watchExtensions } from '../watch-extensions';
import { SharedEvents } from './events-bus';
import { Instance } from './instance';
import type { ContextParts } from './instance-parts';
import type { MainLink } from './links';
import { loadFactory } from './load';
import { boundedFaults, linkToMain, STALE } from './main-link';
import type { ModelCalls, PiModel } from './modules/models';
import { RateBound } from './rates';
import { Rpc, wireError, type RpcSide } from './rpc';
import { SessionView } from './session-view';
import { toWire } from './to-wire';
import type { ProcessCalls, WireExtension, WireFacts, WireStart } from './wire';

/** So long `withSession` waits for its session, looking so often. Milliseconds. */
const LOADED_MS = 20_000;
const LOOK_MS = 50;

/** A session as this process knows it. */
interface Place {
  facts: WireFacts;
  view: SessionView;
  events: SharedEvents;
  instances: Map<string, Instance>;
  links: MainLink[];
  isOpen: boolean;
}

/** All extensions of one scope, in each live session (EX12). It lives in a process of its own. */
export class Scope implements RpcSide {
  private readonly rpc: Rpc;
  private readonly places = new Map<string, Place>();
  private settings: WireStart = { agentDir: '', cacheDir: '', models: [], available: [], version: '' };
  private readonly streams = new Map<number, (event: unknown) => void>();
  private lastStream = 0;
  /** Folders with extensions of the workspace. */
  private readonly watched = new Set<string>();
  private readonly unlessMany = boundedFaults((error) => this.rpc.tell('stray', wireError(error)));

  constructor(post: (message: unknown) => void) {
    this.rpc = new Rpc(post, this);
  }

  take(message: unknown): void {
    this.rpc.take(message);
  }

  /** A promise that nobody handled, a throw in a timer: the process goes on, and the person is told. */
  stray(error: unknown): void {
    this.unlessMany(() => this.rpc.tell('stray', wireError(error)));
  }

  /** The process ends: what extensions have said is told. */
  settle(): void {
    for (const { links } of this.places.values()) for (const link of links) link.settle();
  }

  async call(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    switch (method as keyof ProcessCalls) {
      case 'ping':
        return { rss: process.memoryUsage.rss() };
      case 'start':
        this.settings = params as WireStart;
        return null;
      case 'open':
        return this.open((params as ProcessCalls['open']).facts);
      case 'load':
        return this.load(params as ProcessCalls['load']);
      case 'event':
        return this.handle(params as ProcessCalls['event'], signal);
      case 'tool':
        return this.runTool(params as ProcessCalls['tool'], signal);
      case 'command': {
        const { sessionId, extensionId, name, args } = params as ProcessCalls['command'];
        return this.instance(sessionId, extensionId).runCommand(name, args);
      }
      case 'terminal': {
        const { sessionId, extensionId, view, what } = params as ProcessCalls['terminal'];
        return this.instance(sessionId, extensionId).terminal.take(view, what);
      }
      case 'draw': {
        const { sessionId, extensionId, ...what } = params as ProcessCalls['draw'];
        return this.instance(sessionId, extensionId).draw(what);
      }
      case 'stream': {
        const { sessionId, extensionId, callId, ...request } = params as ProcessCalls['stream'];
        const tell = (partial: unknown): void => this.rpc.tell('partial', { sessionId, extensionId, callId, partial });
        return this.instance(sessionId, extensionId).stream(request, tell, signal);
      }
      case 'complete': {
        const { sessionId, extensionId, text, caret } = params as ProcessCalls['complete'];
        return this.instance(sessionId, extensionId).completions.at(text, caret, signal);
      }
      case 'close':
        return this.close((params as ProcessCalls['close']).sessionId);
      default:
        throw new Error(`Nothing answers to ${method}.`);
    }
  }

  tell(method: string, params: unknown): void {
    if (method === 'models') Object.assign(this.settings, params);
    if (method === 'modelEvent' && isRecord(params)) this.streams.get(Number(params.stream))?.(params.event);
    if (method === 'editor' && isRecord(params)) this.holdText(params);
    if (method !== 'facts') return;
    const facts = params as WireFacts;
    const place = this.places.get(facts.sessionId);
    if (!place) return;
    place.facts = { ...facts, editorText: place.facts.editorText };
    for (const { terminal } of place.instances.values()) terminal.factsChanged();
  }

  private holdText({ sessionId, text, isTyped }: Record<string, unknown>): void {
    const place = this.places.get(String(sessionId));
    if (!place) return;
    place.facts = { ...place.facts, editorText: String(text) };
    // What was written in an editor of an extension is in it already, and maybe more by now.
    if (isTyped !== true) for (const { terminal } of place.instances.values()) terminal.composerHolds(String(text));
  }

  private open(facts: WireFacts): null {
    this.close(facts.sessionId);
    const place: Place = {
      facts,
      view: new SessionView(() => place.facts),
      events: new SharedEvents((channel, error) => this.stray(new Error(`${channel}: ${wireError(error).message}`))),
      instances: new Map(),
      links: [],
      isOpen: true,
    };
    this.places.set(facts.sessionId, place);
    return null;
  }

  private close(sessionId: string): null {
    const place = this.places.get(sessionId);
    if (place) place.isOpen = false;
    this.places.delete(sessionId);
    return null;
  }

  private async load({ sessionId, extension }: ProcessCalls['load']): Promise<unknown> {
    const place = this.place(sessionId);
    enter(place.facts.cwd);
    if (extension.scope === 'project') this.watch(dirname(extension.root));
    const models = this.modelCalls(sessionId, extension.id);
    let isLoaded = false;
    const from = { sessionId, extensionId: extension.id };
    const link = linkToMain({
      ...{ rpc: this.rpc, from, isOpen: () => place.isOpen },
      registered: () => {
        if (isLoaded) this.rpc.tell('registered', { ...from, ...instance.registrations() });
      },
    });
    place.links.push(link);
    const { view, events } = place;
    const instance = new Instance({
      ...{ extension, link, view, models, events, facts: () => place.facts, agentDir: this.settings.agentDir },
      inSession: (id) => this.partsIn(id, extension),
    });
    await instance.run(await loadFactory(extension, this.settings.cacheDir, models, this.settings.agentDir));
    isLoaded = true;
    place.instances.set(extension.id, instance);
    return toWire(instance.registrations());
  }

  /** An extension in a session that was just made: it is loaded there soon. */
  private async partsIn(sessionId: string, { id, name }: WireExtension): Promise<ContextParts> {
    for (const until = Date.now() + LOADED_MS; Date.now() < until; await sleep(LOOK_MS)) {
      const instance = this.places.get(sessionId)?.instances.get(id);
      if (instance) return instance.parts;
    }
    throw new Error(`The extension “${name}” is not loaded in the new session, so withSession was not run.`);
  }

  /** Files of a workspace are watched from here: a drive that does not answer holds up nobody else (EX17). */
  private watch(folder: string): void {
    if (this.watched.has(folder)) return;
    this.watched.add(folder);
    watchExtensions(folder, () => this.rpc.tell('filesChanged', null));
  }

  private handle({ sessionId, handlerId, payload }: ProcessCalls['event'], signal: AbortSignal): Promise<unknown> {
    const { instances } = this.place(sessionId);
    for (const instance of instances.values())
      if (instance.has(handlerId)) return instance.handle(handlerId, payload, signal);
    return Promise.resolve({ result: undefined });
  }

  private runTool(params: ProcessCalls['tool'], signal: AbortSignal): Promise<unknown> {
    const { sessionId, extensionId, name, callId, args } = params;
    const bound = new RateBound(() => undefined);
    const onUpdate = (partial: unknown): void => {
      if (bound.take()) this.rpc.tell('partial', { sessionId, extensionId, callId, partial });
    };
    return this.instance(sessionId, extensionId).runTool(name, { callId, args, signal, onUpdate });
  }

  private place(sessionId: string): Place {
    const place = this.places.get(sessionId);
    if (!place) throw new Error(STALE);
    return place;
  }

  private instance(sessionId: string, extensionId: string): Instance {
    const instance = this.place(sessionId).instances.get(extensionId);
    if (!instance) throw new Error('The extension is not loaded in this session.');
    return instance;
  }

  private modelCalls(sessionId: string, extensionId: string): ModelCalls {
    const all = (): readonly PiModel[] => this.settings.models as readonly PiModel[];
    return {
      all,
      available: () => all().filter(({ provider, id }) => this.settings.available.includes(`${provider}/${id}`)),
      token: ({ provider }) => `espalier-key:${provider}`,
      stream: async ({ model, context, options, isSimple }, onEvent, signal) => {
        const stream = ++this.lastStream;
        this.streams.set(stream, onEvent);
        const { signal: _signal, apiKey: _apiKey, ...rest } = options;
        const request = toWire({ model, context, options: rest, isSimple }) as object;
        try {
          return await this.rpc.call('model', { sessionId, extensionId, stream, ...request }, { signal });
        } finally {
          this.streams.delete(stream);
        }
      },
    };
  }
}

/** A factory finds the session's folder as that of its process, as in pi. */
function enter(folder: string): void {
  try {
    process.chdir(folder);
  } catch {
    // It is gone; whoever works in it says so.
  }
}
