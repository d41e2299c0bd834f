import type { ContextUsage, ModelRef, StoredLine } from '@shared/types';
import type { CompactionEntry, EntryDraft, ImageBlock, SessionHeader, TextBlock } from '@shared/session/records/entry';
import type { Api, Model } from '../pi/pi-types';
import type { SessionStartReason } from './events';
import type { CustomMessageDraft } from './run-events';
import type { ToolOrigin } from './tool-source';

/** A tool as extensions are told of it. */
export interface ToolFacts {
  name: string;
  label: string;
  description: string;
  parameters: unknown;
  /** Null: one of ours. */
  origin: ToolOrigin | null;
}

/** What is true of a session now; a snapshot, nothing of it changes. */
export interface SessionFacts {
  sessionId: string;
  cwd: string;
  /** The journal and the folder that it lies in. */
  file: string;
  dir: string;
  header: SessionHeader;
  name: string | undefined;
  leafId: string | null;
  model: Model<Api> | undefined;
  thinkingLevel: string;
  isIdle: boolean;
  hasPending: boolean;
  contextUsage: ContextUsage;
  activeTools: readonly string[];
  allTools: readonly ToolFacts[];
  /** As the last request had it; empty before the first. */
  systemPrompt: string;
  isTrusted: boolean;
}

export interface DeliverOptions {
  triggerTurn?: boolean;
  deliverAs?: 'steer' | 'followUp' | 'nextTurn';
}

/** Of a session that came in place of another, or did not: `cancelled` by an extension. */
export type Replaced = { cancelled: true } | { cancelled: false; sessionId: string };

/**
 * What extensions may do with one live session. Everything goes through the engine, so that file and live context move together
 * (EX9). What can't be done rejects with a sentence; after the session was let go of everything rejects with `stale`.
 */
export interface SessionDoor {
  readonly sessionId: string;
  facts(): SessionFacts;
  /** Facts have changed. Returns the function that ends it. */
  onFacts(listener: () => void): () => void;
  /** The records of the journal from one on, in chunks, as the file has them. */
  entries(fromSeq?: number): AsyncIterable<readonly StoredLine[]>;
  /** What is appended from now on, after it is in the file. */
  onEntries(listener: (lines: readonly StoredLine[]) => void): () => void;
  /** A message to the model (`custom_message`). Resolves when it is stored or waits. */
  sendMessage(message: CustomMessageDraft, options?: DeliverOptions): Promise<void>;
  /** As if the person had typed it; handlers of `input` hear of it. */
  sendUserMessage(
    content: string | (TextBlock | ImageBlock)[],
    options?: { deliverAs?: 'steer' | 'followUp'; expandPromptTemplates?: boolean },
  ): Promise<void>;
  /** State of an extension (`custom`): never sent to a model. Resolves with the entry's id. */
  appendEntry(customType: string, data?: unknown): Promise<string>;
  setName(name: string): Promise<void>;
  /** Undefined takes the label away. */
  setLabel(entryId: string, label: string | undefined): Promise<void>;
  /** False: there is no key for it. */
  setModel(ref: ModelRef): Promise<boolean>;
  setThinkingLevel(level: string): Promise<void>;
  /** From the next run on. Names that no tool has are left out. */
  setActiveTools(names: readonly string[]): void;
  abort(): void;
  /** Asks for a compaction (EX8). Resolves with its entry. */
  compact(options: { customInstructions?: string }): Promise<CompactionEntry>;
  /** Resolves when nothing runs and nothing waits to run. */
  waitForIdle(): Promise<void>;
  /** `entries`: what the new session begins with. */
  newSession(options?: { parentSession?: string; entries?: readonly EntryDraft[] }): Promise<Replaced>;
  fork(entryId: string, options?: { position?: 'before' | 'at' }): Promise<Replaced>;
  navigateTree(
    targetId: string,
    options?: { summarize?: boolean; customInstructions?: string; replaceInstructions?: boolean; label?: string },
  ): Promise<{ cancelled: boolean }>;
  /** Shows another session: its file, or its id. */
  switchSession(file: string): Promise<Replaced>;
  /** `session_shutdown`, the extensions anew, `session_start`, both with `reload`. */
  reload(): Promise<void>;
}

/**
 * Who runs extensions (`extensions/host`), as sessions see it. A session is used before its extensions are there; only what is sent
 * waits for them.
 */
export interface ExtensionHost {
  /**
   * A session is live: its extensions are made and register their handlers. Resolves when all have, or will not; `session_start` is
   * told next. Bounded; never rejects.
   */
  attach(door: SessionDoor, reason: SessionStartReason): Promise<void>;
  /** `session_shutdown` was told: its extensions are let go of. Bounded; never rejects. */
  detach(sessionId: string): Promise<void>;
}

/** Until there is a host: no extensions. */
export const NO_EXTENSIONS: ExtensionHost = {
  attach: () => Promise.resolve(),
  detach: () => Promise.resolve(),
};
