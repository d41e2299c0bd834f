import { type DraftStore, MAX_ATTACHMENTS } from '../../state/draft-store';
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
  const read = await readFiles(files, held, () => crypto.randomUUID());
  // A text that was pasted meanwhile did not wait.
  const now = session.draft.state.getState().attachments;
  const added = read.attachments.slice(0, Math.max(0, MAX_ATTACHMENTS - now.length));
  const leftOut = read.leftOut + read.attachments.length - added.length;
  const problems = leftOut > 0 ? [tooMany(leftOut), ...read.problems] : read.problems;
  session.draft.set({
    attachments: [...now, ...added],
    problem: problems.length > 0 ? problems.join(' ') : null,
  });
}

function tooMany(leftOut: number): string {
  const last = leftOut === 1 ? 'The last one was' : `The last ${leftOut} were`;
  return `A message can have at most ${MAX_ATTACHMENTS} files. ${last} left out.`;
}
