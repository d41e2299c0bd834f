/** What a person does with single messages of the active path. A failure becomes a toast; nothing here throws. */
import type { App } from './app';
import { focusComposer } from './session-actions';
import { tellBusy } from './tree-actions';
import { moveLeaf } from './tree-moves';

/** Puts a message back into the composer; sending it makes a branch beside the old one (HF7). */
export async function editAndResend(app: App, sessionId: string, entryId: string): Promise<void> {
  if (tellBusy(app, sessionId)) return;
  const { leafId: fromLeafId } = app.openSession(sessionId).live.getState();
  await app.attempt(async () => {
    const to = { sessionId, targetId: entryId, exact: false };
    const { newLeafId } = await app.client.request('session.leavePreview', to);
    const result = await moveLeaf(app, to);
    if (result.cancelled) return;
    const text = result.editorText ?? '';
    app.ui.setState({ branching: { sessionId, kind: 'edit', leafId: newLeafId, fromLeafId, text } });
    focusComposer();
  });
}

/** Asks for another answer to the message that a reply belongs to, beside the answer that is there. */
export async function answerAgain(app: App, sessionId: string, replyId: string): Promise<void> {
  if (tellBusy(app, sessionId)) return;
  const { rows } = app.openSession(sessionId).view.getState();
  const at = rows.findIndex((row) => row.id === replyId);
  const asked = rows.slice(0, Math.max(0, at)).findLast(({ kind }) => kind === 'user');
  if (!asked) {
    app.toast({ level: 'info', text: 'There is no message of yours above this reply that could be answered again.' });
    return;
  }
  await app.attempt(async () => {
    const result = await moveLeaf(app, { sessionId, targetId: asked.id, exact: true });
    if (!result.cancelled) await app.client.request('session.retry', { sessionId });
  });
}

/** Goes to the version before or after an entry, where that branch was left. Never asks: the way back is one key away. */
export async function goToVersion(app: App, sessionId: string, entryId: string, by: 1 | -1): Promise<void> {
  if (tellBusy(app, sessionId)) return;
  await app.attempt(async () => {
    const { versions } = await app.client.request('session.versions', { sessionId, entryId });
    const at = versions.findIndex((version) => version.entryId === entryId);
    const next = versions[at + by];
    if (!next) return;
    const result = await moveLeaf(app, { sessionId, targetId: next.leafId, exact: true });
    if (result.cancelled) return;
    app.ui.setState({ arrival: { sessionId, entryId: next.entryId, focusVersions: true } });
    app.announce(`Version ${at + by + 1} of ${versions.length}.`);
  });
}
