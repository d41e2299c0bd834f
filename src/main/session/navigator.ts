import type { NavigateResult } from '@shared/ipc/tree-types';
import { labelDraft, leafMoveDraft } from '@shared/session/drafts';
import { destinationOf } from '@shared/session/destination';
import type { EntryDraft } from '@shared/session/entry';
import { toComposer } from '../agent/user-message';
import type { SessionLog } from '../ports';

/** Where to, and what becomes of the branch that is left (engine.md 16.1). */
export interface NavigateParams {
  /** null: before the first entry. */
  targetId: string | null;
  /** The target itself becomes the leaf, and nothing returns to the composer. */
  exact?: boolean;
  summarize: boolean;
  customInstructions?: string;
  /** The instructions stand in place of the prompt. */
  replaceInstructions?: boolean;
  label?: string;
}

export interface NavigatorPorts {
  log: SessionLog;
  /** The leaf has moved, and the session is still held: what was told of the old one ends. */
  onMoved: () => Promise<void>;
}

/** Moves the leaf of one session. Whoever calls it holds the session (engine.md 10.1). */
export class Navigator {
  constructor(private readonly ports: NavigatorPorts) {}

  /**
   * Goes to a target (engine.md 16.1): one write, or nothing.
   * @throws EntryNotFoundError
   */
  async navigate({ targetId, exact, label }: NavigateParams, reason = 'navigate'): Promise<NavigateResult> {
    const { log } = this.ports;
    const { tree } = log;
    const { leafId, editorEntryId } = destinationOf(tree, targetId, exact);
    if (targetId === tree.leafId) return { cancelled: false };
    await this.write(leafId, targetId, label, reason);
    return { cancelled: false, ...(await this.editorOf(editorEntryId)) };
  }

  private async write(leafId: string | null, labelled: string | null, label = '', reason: string): Promise<void> {
    const { log, onMoved } = this.ports;
    const { tree } = log;
    const drafts: EntryDraft[] = leafId === tree.leafId ? [] : [leafMoveDraft(tree, leafId, reason)];
    if (label.trim() !== '' && labelled !== null) drafts.push(labelDraft(tree, labelled, label));
    if (drafts.length > 0) await log.append(drafts);
    await onMoved();
  }

  private async editorOf(entryId: string | null): Promise<Pick<NavigateResult, 'editorText' | 'editorAttachments'>> {
    if (entryId === null) return {};
    const [entry] = await this.ports.log.loadBodies([entryId]);
    const { text, attachments } = toComposer(entry);
    return { editorText: text, ...(attachments.length > 0 ? { editorAttachments: attachments } : {}) };
  }
}
