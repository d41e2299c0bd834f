import type { ContextUsage, ModelRef, QueueItem } from '@shared/types';
import type { EntryDraft } from '@shared/session/records/entry';
import type { Overhead } from '@shared/session/context/figure';
import type { Tell } from '@shared/session-state/events';
import type { BlockedCall } from '@shared/policy/call-outcome';
import type { Settings } from '@shared/settings';
import type { AgentLoopConfig, AgentTool, BeforeToolCallContext } from '../pi/pi-types';
import type { SessionEvents } from '../extensions/session-events';
import type { ModelRegistry, SessionLog } from '../ports';
import type { DurableQueue } from './durable-queue';
import type { Recovery, RoomLeft } from './failure-cards';
import type { LiveView } from './live-view';
import type { SessionContext } from './session-context';
import type { StreamTransport } from './stream/types';

export type CustomDraft = EntryDraft & { type: 'custom_message' };

/** What the loop needs of the tool host (src/main/approvals). */
export interface RunTools {
  tools: AgentTool[];
  /** What the loop checks the arguments of a tool by, where that is not what a model is told of them (EX23). */
  checkedBy?(name: string): AgentTool['parameters'] | undefined;
  beforeToolCall(context: BeforeToolCallContext, signal?: AbortSignal): Promise<BlockedCall | undefined>;
  afterToolCall?: AgentLoopConfig['afterToolCall'];
}

/** What a request of a run takes of its session (`SessionScope`). */
export interface GateScope {
  log: SessionLog;
  context: SessionContext;
  models: ModelRegistry;
  transport: StreamTransport;
  systemPrompt(): Promise<string>;
  /** What could make the context smaller, for a model. */
  roomLeft(model: ModelRef): Promise<RoomLeft>;
  tools: { readonly current: RunTools | null };
  choice: { takePending(): EntryDraft[] };
  live: LiveView;
  /** Where extensions take part. */
  events: SessionEvents;
}

/** What a run takes of its session. */
export interface RunScope extends GateScope {
  queue: DurableQueue;
  tell: Tell;
  settings(): Settings;
  now(): number;
  /** Stores what is known of the calls that a crash left open (AG11). @throws StorageError */
  settleCalls(): Promise<void>;
  usage(ref: ModelRef): ContextUsage;
  /** What is to be stored behind the results of calls about these paths (EX21). Never rejects. */
  guidanceBehind(files: readonly string[]): Promise<EntryDraft[]>;
  /** Whether the context has images or long outputs that could be dropped (TG9). */
  canDrop(): boolean;
  tools: { readonly current: RunTools | null; ready(): Promise<RunTools> };
  choice: { takePending(): EntryDraft[]; opening(): EntryDraft[] };
  /** Writes what is owed in front of a message (GR17). */
  costs: { with<T>(append: (drafts: EntryDraft[]) => Promise<T>): Promise<T> };
  /** Which message one is another version of (GR5). */
  putBack: { versionOf(item: QueueItem, leafId: string | null): string | undefined };
  /** What extensions say in the run (`Outgoing`): taken when its turn has come. */
  outbox: { draft: CustomDraft; mode: 'steer' | 'followUp' | 'turnEnd'; triggers: boolean }[];
  /** The message of an extension that the run begins with. */
  startedBy: CustomDraft | null;
  /** What extensions say with the next message of the person; taken when it is sent. */
  nextTurn: EntryDraft[];
  readonly workspaceDir: string;
  slot: { become(phase: 'running' | 'retrying'): void };
}

/** What a provider refused. */
export interface Overflow {
  model: ModelRef;
  /** The reply that says so: left out of what is summarized and of the context from then on. */
  failedReplyId: string | null;
  /** The reply stays in the context until another has taken its place. */
  keepsReply: boolean;
  /** False: the request was answered, only the next one needs the room. */
  retries: boolean;
  signal: AbortSignal;
}

/** Who makes room in the context of a session (`AutoCompaction`). */
export interface RoomMaker {
  makeRoom(model: ModelRef, overhead: Overhead | undefined, signal: AbortSignal): Promise<void>;
  recover(overflow: Overflow): Promise<Recovery>;
  heardPerson(): void;
  allowRecovery(): void;
  /** Whether an open turn may be continued as far as compactions go (TG19): the last one made progress, none was cancelled. */
  readonly allowsContinuing: boolean;
}
