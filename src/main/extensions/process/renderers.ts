import { isRecord } from '@shared/checks';
import type { TerminalFrame } from '@shared/extensions/terminal';
import type { Registered } from './api';
import type { ContextParts } from './instance-parts';
import { theme } from './terminal/theme';
import type { WireDraw } from './wire';

type AnyFunction = (...args: unknown[]) => unknown;

/** Calls whose state is kept for both of their renderers. */
const MAX_STATES = 200;

/** What an extension draws of its messages and the calls of its tools (EX24). Each is made when the window asks for it. */
export class Renderers {
  private readonly states = new Map<string, { state: object; last: Map<string, unknown> }>();

  constructor(
    private readonly parts: ContextParts,
    private readonly registered: Registered,
  ) {}

  /** Null: there is nothing to draw. Rejects with what the renderer throws. */
  async draw({ of, id, columns, isExpanded }: WireDraw): Promise<TerminalFrame | null> {
    const component = of === 'entry' ? this.entry(id, isExpanded) : this.call(of, id, isExpanded);
    return this.parts.terminal.frameOf(component, columns);
  }

  private entry(id: string, expanded: boolean): unknown {
    const entry = this.parts.view.getEntry(id);
    if (entry?.type !== 'custom_message') return undefined;
    const renderer = this.registered.renderers.get(String(entry.customType));
    const message = { ...entry, role: 'custom', timestamp: Date.parse(String(entry.timestamp)) || 0 };
    return renderer?.(message, { expanded, outputPad: 1, ...HINTS }, theme);
  }

  private call(of: 'call' | 'result', callId: string, expanded: boolean): unknown {
    const { call, result } = this.find(callId);
    const tool = this.registered.tools.get(String(call?.name ?? result?.toolName))?.definition as
      { renderCall?: AnyFunction; renderResult?: AnyFunction } | undefined;
    const render = of === 'call' ? tool?.renderCall : tool?.renderResult;
    if (!render || (of === 'result' && !result)) return undefined;
    const known = this.stateOf(callId);
    const args = call?.arguments ?? {};
    const context = {
      ...{
        args,
        toolCallId: callId,
        invalidate: () => undefined,
        lastComponent: known.last.get(of),
        state: known.state,
      },
      ...{ cwd: this.parts.facts().cwd, executionStarted: result !== undefined, argsComplete: true, isPartial: false },
      ...{
        expanded,
        showImages: false,
        isError: result?.isError === true,
        durationMs: undefined,
        outputPad: 0,
        ...HINTS,
      },
    };
    const component =
      of === 'call'
        ? render.call(tool, args, theme, context)
        : render.call(tool, result, { expanded, isPartial: false }, theme, context);
    known.last.set(of, component);
    return component;
  }

  private find(callId: string): { call?: Record<string, unknown>; result?: Record<string, unknown> } {
    const found: { call?: Record<string, unknown>; result?: Record<string, unknown> } = {};
    for (const { message } of this.parts.view.getEntries().reverse()) {
      if (!isRecord(message)) continue;
      if (message.role === 'toolResult' && message.toolCallId === callId) found.result ??= message;
      if (message.role !== 'assistant' || !Array.isArray(message.content)) continue;
      found.call ??= message.content.filter(isRecord).find(({ type, id }) => type === 'toolCall' && id === callId);
      if (found.call) break;
    }
    return found;
  }

  private stateOf(callId: string) {
    const known = this.states.get(callId) ?? { state: {}, last: new Map<string, unknown>() };
    this.states.delete(callId);
    this.states.set(callId, known);
    for (const old of this.states.keys()) if (this.states.size > MAX_STATES) this.states.delete(old);
    return known;
  }
}

const HINTS = { keyText: () => '', keyHint: (_key: unknown, description: unknown) => String(description) };
