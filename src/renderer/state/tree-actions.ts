import type { App } from './app';
import { focusComposer } from './session-actions';

/** What a person does to the tree, from transcript, graph, outline and palette alike. */
export interface TreeActions {
  /** Goes to an entry (null: before the first). Asks first when visible work is left behind, unless `summary` says how. */
  navigate(
    sessionId: string,
    targetId: string | null,
    how?: { exact?: boolean; summary?: 'none' | 'default' | 'ask' },
  ): Promise<void>;
  /** The next message goes below an entry: the leaf moves there, composer focused; Esc in the empty composer goes back without a trace. */
  branchFrom(sessionId: string, entryId: string): Promise<void>;
  /** Opens the sheet that brings the summary of `sourceId`'s branch over to `targetId`. */
  bringOver(sessionId: string, sourceId: string, targetId: string): void;
  editLabel(sessionId: string, entryId: string): void;
  fork(sessionId: string, entryId: string): Promise<void>;
  setArchived(sessionId: string, entryId: string, archived: boolean): Promise<void>;
  copyReference(sessionId: string, entryId: string): Promise<void>;
}

/** The actions over main's requests. A failure becomes a toast; nothing here throws. */
export function createTreeActions(app: App): TreeActions {
  const { client } = app;

  async function navigate(sessionId: string, targetId: string | null, how: { exact?: boolean } = {}): Promise<void> {
    await app.attempt(async () => {
      const exact = how.exact ?? false;
      const result = await client.request('session.navigate', { sessionId, targetId, exact, summarize: false });
      if (result.editorText) app.openSession(sessionId).draft.set({ text: result.editorText });
    });
  }

  return {
    navigate,
    async branchFrom(sessionId, entryId) {
      await navigate(sessionId, entryId, { exact: true });
      focusComposer();
    },
    bringOver(sessionId, sourceId, targetId) {
      void app.attempt(() => client.request('session.bringOver', { sessionId, sourceId, targetId }));
    },
    editLabel(sessionId, entryId) {
      void app.attempt(() => client.request('session.label', { sessionId, entryId, label: 'marked' }));
    },
    async fork(sessionId, entryId) {
      await app.attempt(async () => {
        const { summary } = await client.request('session.fork', { sessionId, entryId });
        app.sessions.setState(({ byId }) => ({ byId: { ...byId, [summary.id]: summary } }));
        app.activate(summary.id);
      });
    },
    async setArchived(sessionId, entryId, archived) {
      await app.attempt(() => client.request('session.setBranchArchived', { sessionId, entryId, archived }));
    },
    async copyReference(_sessionId, entryId) {
      await app.attempt(() => navigator.clipboard.writeText(`[entry:${entryId}]`));
    },
  };
}
