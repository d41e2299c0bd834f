import type { BranchVersion, LeavePreview, NavigateResult } from '@shared/ipc/tree-types';
import { archiveDraft, labelDraft } from '@shared/session/drafts';
import { versionsAt } from '@shared/session/versions';
import { leavePreview, type PreviewPorts } from './leave-preview';
import { Navigator, type NavigateParams } from './navigator';
import type { Rewriter } from './rewriter';

export interface BranchesPorts extends PreviewPorts {
  /** Where changes of the tree wait for each other (engine.md 10.1). */
  rewriter: Rewriter;
  /** The leaf has moved, and the session is still held. */
  onMoved: () => Promise<void>;
}

/** What a person does with the branches of one session (engine.md 2, 16). Methods reject with a message meant for them. */
export class Branches {
  private readonly navigator: Navigator;

  constructor(private readonly ports: BranchesPorts) {
    this.navigator = new Navigator(ports);
  }

  /** Goes to another point of the tree (engine.md 16.1). @throws EntryNotFoundError, SessionRefusal */
  navigate(params: NavigateParams): Promise<NavigateResult> {
    return this.ports.rewriter.change('navigate', () => this.navigator.navigate(params));
  }

  /** What going there would leave behind. Never blocked by what runs. @throws EntryNotFoundError */
  leavePreview(targetId: string | null, exact?: boolean): Promise<LeavePreview> {
    return leavePreview(this.ports, targetId, exact);
  }

  /** `/clear`: the next message begins anew, the tree stays. */
  async clear(): Promise<void> {
    const before = { targetId: null, summarize: false };
    await this.ports.rewriter.change('clear', () => this.navigator.navigate(before, 'clear'));
  }

  /** Names an entry on every branch; an empty label clears (engine.md 2). Never blocked. @throws EntryNotFoundError */
  async label(entryId: string, label: string): Promise<void> {
    const { log } = this.ports;
    if ((log.tree.label(entryId) ?? '') === label.trim() && log.tree.has(entryId)) return;
    await log.append([labelDraft(log.tree, entryId, label)]);
  }

  /** Hides the branch below an entry from graph and outline, or shows it again; never from the model. @throws EntryNotFoundError */
  async setArchived(entryId: string, archived: boolean): Promise<void> {
    const { log } = this.ports;
    if (log.tree.archived.has(entryId) === archived && log.tree.has(entryId)) return;
    await log.append([archiveDraft(log.tree, entryId, archived)]);
  }

  /** The versions beside an entry, hidden ones left out, each with its newest leaf. */
  versions(entryId: string): BranchVersion[] {
    return versionsAt(this.ports.log.tree, entryId);
  }
}
