import type { OpenSession } from '../../state/open-session';
import { readFiles } from './read-files';

/** Adds files to the draft of a session; what can't be attached is said above the composer. */
export async function attachFiles(session: OpenSession, files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  const held = session.draft.state.getState().attachments.length;
  const { attachments, problems } = await readFiles(files, held, () => crypto.randomUUID());
  session.draft.set({
    attachments: [...session.draft.state.getState().attachments, ...attachments],
    problem: problems.length > 0 ? problems.join(' ') : null,
  });
}
