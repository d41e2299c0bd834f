import { setImmediate as breathe } from 'node:timers/promises';
import type { BulkName, BulkChunks, RequestName, EventBatch } from '../../src/shared/ipc/contract';
import type { SessionTree } from '@shared/session/tree/tree';
import type { AgentSession } from '../../src/main/session/host/agent-session';
import { EventChannel } from '../../src/main/ipc/event-channel';
import { graphRows } from '../../src/main/session/machine/rows';
import type { Client } from '../../src/renderer/bridge';
import { createMemoryStore } from './memory-store';
import { createDraftStore } from '../../src/renderer/state/draft-store';
import { createOpenSession, type OpenSession } from '../../src/renderer/state/open-session';
import type { MemoryLog } from './memory-log';

/** What a window asks of, as text crosses: nothing is shared with main. */
const crossed = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The window's state of one session over the real session of main; answers and events take ways of different length. */
export class SessionWindow {
  readonly asked: (RequestName | BulkName)[] = [];
  readonly channel = new EventChannel();
  session: AgentSession | null = null;
  open: OpenSession;
  private delivered: Promise<void> = Promise.resolve();

  /** @param pause how many turns of the event loop the next message takes */
  constructor(
    private readonly log: MemoryLog,
    private readonly pause: () => number,
  ) {
    this.channel.connect((batch) => this.deliver(crossed(batch)));
    this.open = this.opened();
  }

  /** Another window takes the place of this one. */
  reload(): Promise<void> {
    this.open.close();
    this.open = this.opened();
    return this.open.refresh();
  }

  /** Everything that was told is applied. */
  async quiet(): Promise<void> {
    this.channel.flush();
    await this.delivered;
    while (this.open.view.getState().loadingOlder || this.open.graph.state.getState().status === 'loading') {
      await breathe();
    }
  }

  close(): void {
    this.open.close();
    this.channel.disconnect();
  }

  private opened(): OpenSession {
    const local = createMemoryStore();
    return createOpenSession(this.log.sessionId, {
      client: this.client(),
      local,
      draft: createDraftStore(this.log.sessionId, local),
      newId: () => 'none',
    });
  }

  private deliver(batch: EventBatch): void {
    const turns = this.pause();
    const { open } = this;
    this.delivered = this.delivered.then(async () => {
      await this.wait(turns);
      for (const event of batch.events) if ('n' in event) open.apply(event);
    });
  }

  private async wait(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await breathe();
  }

  private client(): Client {
    const request = async (name: RequestName): Promise<unknown> => {
      this.asked.push(name);
      if (name !== 'session.open' || !this.session) return {};
      const answer = crossed(await this.session.snapshot());
      await this.wait(this.pause());
      return answer;
    };
    return {
      request: request as Client['request'],
      bulk: (name, params, onChunk) => {
        this.asked.push(name);
        let isOver = false;
        const send = async (): Promise<void> => {
          for (const rows of this.chunks(name, params)) {
            await this.wait(this.pause());
            if (isOver) return;
            await onChunk(crossed({ rows }) as never);
          }
        };
        return { done: send(), cancel: () => void (isOver = true) };
      },
      onEvents: () => () => undefined,
      offerFiles: () => Promise.resolve([]),
    };
  }

  private chunks(name: BulkName, params: BulkChunks[BulkName]['params']): Iterable<unknown> {
    const { session } = this;
    const tree: SessionTree = this.log.tree;
    if (name === 'session.graph') return graphRows(tree, (params as { fromSeq: number }).fromSeq);
    if (name !== 'session.rows' || !session) return [];
    return session.rows((params as { before: number }).before);
  }
}
