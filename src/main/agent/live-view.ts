import { randomUUID } from 'node:crypto';
import type { LiveReply, LiveTool } from '@shared/ipc/types';
import type { AssistantMessageEvent } from '../models/pi-types';
import type { Emit } from '../ports';

/** What of a command's live output is kept for a window that opens later; the rest is in the result. Characters. */
const MAX_TAIL = 16 * 1024;

type LiveBlock = LiveReply['blocks'][number];

/**
 * What is on its way and not yet an entry: the reply being streamed and the tools that run. It tells the window each
 * change as a delta (EV7: deltas only cross as deltas) and holds the whole for a window that opens in between.
 */
export class LiveView {
  private live: LiveReply | null = null;
  private readonly running = new Map<string, LiveTool>();

  constructor(
    private readonly sessionId: string,
    private readonly emit: Emit,
  ) {}

  get reply(): LiveReply | null {
    return this.live && { ...this.live, blocks: this.live.blocks.map((block) => ({ ...block })) };
  }

  get tools(): LiveTool[] {
    return [...this.running.values()].map((tool) => ({ ...tool }));
  }

  startReply(provider: string, model: string): void {
    this.live = { streamId: randomUUID(), provider, model, startedAt: Date.now(), blocks: [] };
    this.emit({ type: 'stream_start', sessionId: this.sessionId, live: { ...this.live, blocks: [] } });
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
    if (!this.live) return;
    const { streamId } = this.live;
    this.live = null;
    this.emit({ type: 'stream_end', sessionId: this.sessionId, streamId, entryId });
  }

  startTool(toolCallId: string, toolName: string): void {
    const tool: LiveTool = { toolCallId, toolName, startedAt: Date.now(), tail: '' };
    this.running.set(toolCallId, tool);
    this.emit({ type: 'tool_start', sessionId: this.sessionId, tool: { ...tool } });
  }

  toolOutput(toolCallId: string, chunk: string): void {
    const tool = this.running.get(toolCallId);
    if (!tool || chunk === '') return;
    const tail = tool.tail + chunk;
    tool.tail = tail.length > MAX_TAIL ? tail.slice(-MAX_TAIL) : tail;
    this.emit({ type: 'tool_output', sessionId: this.sessionId, toolCallId, chunk });
  }

  endTool(toolCallId: string, isError: boolean): void {
    if (!this.running.delete(toolCallId)) return;
    this.emit({ type: 'tool_end', sessionId: this.sessionId, toolCallId, isError });
  }

  /** At the end of a run nothing is on its way any more. */
  endAllTools(): void {
    for (const id of [...this.running.keys()]) this.endTool(id, true);
  }

  private grow(index: number, kind: LiveBlock['kind'], delta: string, names: Partial<LiveBlock> = {}): void {
    if (!this.live) return;
    const { blocks } = this.live;
    // A provider may leave an index out; a hole would cross as null.
    while (blocks.length < index) blocks.push({ kind: 'text', text: '' });
    const block = (blocks[index] ??= { kind, text: '', ...names });
    block.text += delta;
    const { streamId } = this.live;
    this.emit({ type: 'stream_delta', sessionId: this.sessionId, streamId, index, kind, delta, ...names });
  }
}
