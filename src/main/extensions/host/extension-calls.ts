import { GoneError } from '../process/rpc';
import type { WireDraw, WireStream, WireTerminalInput } from '../process/wire';
import type { Fault } from './fault-log';
import type { Culprit, ScopeProcess } from './scope-process';
import type { SessionExtension } from './session-extension';

export interface CallPorts {
  /** Waits while its extensions are loaded. Rejects where it does not run. */
  ready(extension: SessionExtension): Promise<ScopeProcess>;
  /** The process that runs now. */
  running(): ScopeProcess | null;
  /** It is still one of its session's. */
  isThere(extension: SessionExtension): boolean;
  report(extensionId: string, sessionId: string, fault: Fault): void;
}

/** Calls of an extension's code that it told no event of: tools, commands, what it draws, completes and streams. */
export class ExtensionCalls {
  private readonly heard = new Map<string, (partial: unknown) => void>();
  private last = 0;

  constructor(private readonly ports: CallPorts) {}

  /** What was told of a call that is under way. */
  hear(callId: string, partial: unknown): void {
    this.heard.get(callId)?.(partial);
  }

  async runCommand(extension: SessionExtension, name: string, args: string): Promise<void> {
    const process = await this.ports.ready(extension);
    const doing = doingOf(extension, `/${name}`);
    try {
      await process.call('command', { ...idsOf(extension), name, args }, doing);
    } catch (error) {
      // It had its session loaded again, or closed: it is over with what it was part of.
      if (error instanceof GoneError && !this.ports.isThere(extension)) return;
      this.report(extension, doing.doing, error);
      throw error;
    }
  }

  async runTool(
    extension: SessionExtension,
    name: string,
    { args, signal, onUpdate }: { args: unknown; signal: AbortSignal; onUpdate: (partial: unknown) => void },
  ): Promise<unknown> {
    const process = await this.ports.ready(extension);
    return this.hearing(onUpdate, (callId) =>
      process.call('tool', { ...idsOf(extension), name, callId, args }, doingOf(extension, name), { signal }),
    );
  }

  /** A request to a model that the extension streams by code of its own. Rejects with what that throws. */
  async stream(
    extension: SessionExtension,
    request: WireStream,
    { signal, onEvents }: { signal: AbortSignal; onEvents: (events: unknown) => void },
  ): Promise<unknown> {
    const process = await this.ports.ready(extension);
    return this.hearing(onEvents, (callId) =>
      process.call('stream', { ...idsOf(extension), callId, ...request }, doingOf(extension, 'streamSimple'), {
        signal,
      }),
    );
  }

  /** A key, a paste or a size of the window: who does not come back from it is known by name. */
  async terminal(extension: SessionExtension, view: string, what: WireTerminalInput): Promise<void> {
    const params = { ...idsOf(extension), view, what };
    // What it throws is told where it is thrown; a view that is gone takes nothing.
    await this.ports
      .running()
      ?.call('terminal', params, doingOf(extension, 'ctx.ui.custom'))
      .catch(() => undefined);
  }

  /** What a renderer of an extension draws; null: nothing, or it failed, which is reported. */
  draw(extension: SessionExtension, what: WireDraw): Promise<unknown> {
    const doing = doingOf(extension, 'a renderer');
    const limit = { timeoutMs: DRAW_MS };
    return this.orNull(extension, doing, (process) =>
      process.call('draw', { ...idsOf(extension), ...what }, doing, limit),
    );
  }

  /** What it would write at the cursor of the composer; null: nothing, or it failed, which is reported. */
  complete(extension: SessionExtension, text: string, caret: number): Promise<unknown> {
    const doing = doingOf(extension, 'an autocomplete provider');
    const limit = { timeoutMs: COMPLETE_MS };
    return this.orNull(extension, doing, (process) =>
      process.call('complete', { ...idsOf(extension), text, caret }, doing, limit),
    );
  }

  private async hearing<T>(hear: (partial: unknown) => void, call: (callId: string) => Promise<T>): Promise<T> {
    const callId = String(++this.last);
    this.heard.set(callId, hear);
    try {
      return await call(callId);
    } finally {
      this.heard.delete(callId);
    }
  }

  private async orNull(
    extension: SessionExtension,
    { doing }: Culprit,
    call: (process: ScopeProcess) => Promise<unknown>,
  ): Promise<unknown> {
    const process = this.ports.running();
    if (!process) return null;
    try {
      return await call(process);
    } catch (error) {
      this.report(extension, doing, error);
      return null;
    }
  }

  /** Where the process ended, that was said. */
  private report({ extension, sessionId }: SessionExtension, event: string, error: unknown): void {
    if (error instanceof GoneError) return;
    const { message, stack } = error as Error;
    this.ports.report(extension.id, sessionId, { event, error: message, ...(stack === undefined ? {} : { stack }) });
  }
}

function idsOf({ sessionId, extension }: SessionExtension): { sessionId: string; extensionId: string } {
  return { sessionId, extensionId: extension.id };
}

function doingOf(extension: SessionExtension, doing: string): Culprit {
  return { ...idsOf(extension), doing };
}

const DRAW_MS = 5_000;
const COMPLETE_MS = 5_000;
