import type { DraftStore } from '../../state/draft-store';
import type { OpenSession } from '../../state/open-session';
import { readFiles } from './read-files';

/** Adds files to the draft of a session; what can't be attached is said above the composer. */
export async function attachFiles(session: Pick<OpenSession, 'draft'>, files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  // One after the other: two pastes at once would both count what was there before them.
  const before = attaching.get(session.draft) ?? Promise.resolve();
  const now = before.then(() => attach(session, files));
  attaching.set(session.draft, now);
  await now;
}

const attaching = new WeakMap<DraftStore, Promise<void>>();

async function attach(session: Pick<OpenSession, 'draft'>, files: readonly File[]): Promise<void> {
  const { attachments: there } = session.draft.state.getState();
  const held = { files: there.length, pictures: there.filter(({ kind }) => kind === 'image').length };
  const { attachments, problems } = await readFiles(files, held, () => crypto.randomUUID());
  session.draft.set({
    attachments: [...session.draft.state.getState().attachments, ...attachments],
    problem: problems.length > 0 ? problems.join(' ') : null,
  });
}
