import { randomUUID } from 'node:crypto';
import type { LiveReply } from '@shared/types';
import type { Tell } from '@shared/session-state/events';
import type { LiveSession } from '@shared/session-state/state';
import type { AssistantMessageEvent } from '../pi/pi-types';

/** Tells what is on its way and not yet an entry: the reply being streamed (as deltas, EV7) and the tools that run. */
export class LiveView {
  constructor(
    private readonly tell: Tell,
    private readonly shown: () => LiveSession,
  ) {}

  startReply(provider: string, model: string): void {
    const live = { streamId: randomUUID(), provider, model, startedAt: Date.now(), blocks: [] };
    this.tell({ type: 'stream_start', live });
  }

  update(event: AssistantMessageEvent): void {
    switch (event.type) {
      case 'text_start':
      case 'text_delta':
        return this.grow(event.contentIndex, 'text', event.type === 'text_delta' ? event.delta : '');
      case 'thinking_start':
      case 'thinking_delta':
        return this.grow(event.contentIndex, 'thinking', event.type === 'thinking_delta' ? event.delta : '');
      case 'toolcall_start': {
        const call = event.partial.content[event.contentIndex];
        const names = call?.type === 'toolCall' ? { toolName: call.name, toolCallId: call.id } : {};
        return this.grow(event.contentIndex, 'toolCall', '', names);
      }
      case 'toolcall_delta':
        return this.grow(event.contentIndex, 'toolCall', event.delta);
      default:
        return;
    }
  }

  /** After the reply's entry is stored, or null where none was: the window drops the live blocks. */
  endReply(entryId: string | null): void {
    const { reply } = this.shown();
    if (reply) this.tell({ type: 'stream_end', streamId: reply.streamId, entryId });
  }

  startTool(toolCallId: string, toolName: string): void {
    this.tell({ type: 'tool_start', tool: { toolCallId, toolName, startedAt: null, tail: '' } });
  }

  /** Until now it waited for its turn, or for the person: its clock counts none of that (TS11). */
  runTool(toolCallId: string): void {
    if (this.runs(toolCallId)) this.tell({ type: 'tool_runs', toolCallId, startedAt: Date.now() });
  }

  toolOutput(toolCallId: string, chunk: string): void {
    if (chunk !== '' && this.runs(toolCallId)) this.tell({ type: 'tool_output', toolCallId, chunk });
  }

  endTool(toolCallId: string, isError: boolean): void {
    if (this.runs(toolCallId)) this.tell({ type: 'tool_end', toolCallId, isError });
  }

  /** At the end of a run nothing is on its way any more. */
  endAllTools(): void {
    for (const { toolCallId } of this.shown().tools) this.endTool(toolCallId, true);
  }

  private runs(toolCallId: string): boolean {
    return this.shown().tools.some((tool) => tool.toolCallId === toolCallId);
  }

  private grow(
    index: number,
    kind: LiveReply['blocks'][number]['kind'],
    delta: string,
    names: { toolName?: string; toolCallId?: string } = {},
  ): void {
    const { reply } = this.shown();
    if (reply) this.tell({ type: 'stream_delta', streamId: reply.streamId, index, kind, delta, ...names });
  }
}
