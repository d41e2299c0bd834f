import type { Notice } from '@shared/types';
import { splitTitle } from '@shared/policy/session-title';
import type { FoundInstead, JournalLoss, SessionMeta, SessionStore } from '../ports';

/** The window's database came back empty although there are sessions. */
export function emptiedNotice(sessions: number): Notice {
  const what = sessions === 1 ? 'One session was' : `${sessions} sessions were`;
  return {
    level: 'warning',
    code: 'database-emptied',
    text: `The window’s database was empty. ${what} restored from the session files.`,
    detail:
      'This is normal when this folder is first opened on another computer or with a new profile. It also happens when the database was damaged. Sessions are read from their files; unsent drafts are kept only in the database.',
  };
}

const LOSSES: Record<JournalLoss, string> = {
  missing: 'was missing',
  older: 'was an older copy',
  incomplete: 'was incomplete',
  damaged: 'was damaged',
};

/** A journal that lacked something was rewritten from the database. */
export function restoredNotice(sessionId: string, title: string, was: JournalLoss): Notice {
  const name = title === '' ? 'a session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'journal-restored',
    text: `The file of ${name} ${LOSSES[was]}. The session was restored from the window’s database.`,
    detail: was === 'missing' ? undefined : 'The file as it was is kept in the trash folder for 30 days.',
    sessionId,
  };
}

/** In the place of a journal was something else; it was rewritten from the database, or from what was open here. */
export function foundNotice(sessionId: string, title: string, { what, keptAs }: FoundInstead): Notice {
  const name = title === '' ? 'a session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'journal-restored',
    text: `The file of ${name} had been replaced by ${what}. The session was restored from its second copy.`,
    detail: keptAs === null ? undefined : `The other file is kept next to it as ${keptAs}.`,
    sessionId,
  };
}

/** Another program put the lines of two copies of a session into one file. */
export function mergedNotice(sessionId: string, title: string, count: number): Notice {
  const name = title === '' ? 'A session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'session-merged',
    text: `${name} was continued in two places, and another program put both into one file.`,
    detail: `The file includes ${messages(count)} from the other copy. Each copy is its own branch in the graph. Nothing was lost.`,
    sessionId,
  };
}

/** Another program wrote into the file of an open session what does not continue its conversation. */
export function strayedNotice(sessionId: string, title: string, entries: number): Notice {
  const name = title === '' ? 'a session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'session-merged',
    text: `The file of ${name} was changed by another program while it was open.`,
    detail: `${entries === 1 ? 'An entry was' : `${entries} entries were`} added. This conversation goes on where it was; what was added is a separate branch in the graph.`,
    sessionId,
  };
}

/** A newer copy that a sync program laid beside the journal was taken in. */
export function takenInNotice(sessionId: string, title: string): Notice {
  const name = title === '' ? 'a session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'copy-taken-in',
    text: `A newer copy of ${name} was next to its file. The session now has everything in the copy.`,
    detail:
      'Sync programs create such copies. This copy and the file it replaced are kept in the trash folder for 30 days.',
    sessionId,
  };
}

/** Another program put something else in the place of the file of an open session; it has again what was open here. */
export function writtenBackNotice(sessionId: string, title: string, was: JournalLoss): Notice {
  const name = title === '' ? 'a session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'journal-restored',
    text: `Another program replaced the file of ${name} while it was open. The new file ${LOSSES[was]}, so the session was restored from what Espalier had open.`,
    detail: was === 'missing' ? undefined : 'The file that was put there is kept in the trash folder for 30 days.',
    sessionId,
  };
}

/** A session went on in two places: what differs, and both to open. Null if that was read, or is no such session. */
export function conflictNotice(store: Pick<SessionStore, 'meta'>, sessionId: string): Notice | null {
  const meta = store.meta(sessionId);
  if (!meta?.conflict || meta.conflict.isRead) return null;
  const { with: otherId, there, here, since, sharesNothing, isCopy } = meta.conflict;
  const other = store.meta(otherId);
  if (meta.conflict.fileOf !== undefined) return replacedNotice(store, sessionId, meta, meta.conflict.fileOf);
  return {
    level: 'warning',
    code: 'session-conflict',
    text: `There are two versions of ${plainName(other)}. Both are kept.`,
    detail:
      `${sharesNothing ? 'They have nothing in common. ' : since === null ? '' : `They diverged on ${when(since)}. `}` +
      `${other ? nameOf(other) : 'One'} is ${isCopy ? 'the file as it was' : 'the file that another program put in its place'}; it has ${messages(there)} that the other lacks. ` +
      `${nameOf(meta)} is ${isCopy ? 'a copy that another program put next to it' : 'what Espalier had saved'}; it has ${messages(here)} that the other lacks.` +
      (sharesNothing ? '' : ' Sync programs do this when two computers share the folder.'),
    sessionId,
    conflict: [{ sessionId, title: meta.title }, ...(other ? [{ sessionId: otherId, title: other.title }] : [])],
  };
}

/** The file of a session was replaced by that of another one: what each has now, and all of them to open. */
function replacedNotice(
  store: Pick<SessionStore, 'meta'>,
  sessionId: string,
  meta: SessionMeta & { conflict?: { with: string } },
  fileOf: string,
): Notice {
  const replacedId = meta.conflict?.with ?? '';
  const [replaced, owner] = [store.meta(replacedId), store.meta(fileOf)];
  const name = replaced && replaced.title !== '' ? nameOf(replaced) : 'a session';
  const isNamed = owner !== undefined && owner.title !== '';
  const by = !isNamed
    ? 'another session'
    : owner.title === replaced?.title
      ? 'another session with that name'
      : nameOf(owner);
  const sessions = [
    { sessionId, title: meta.title },
    ...(replaced ? [{ sessionId: replacedId, title: replaced.title }] : []),
    ...(owner ? [{ sessionId: fileOf, title: owner.title }] : []),
  ];
  return {
    level: 'warning',
    code: 'session-conflict',
    text: `The file of ${name} was replaced by the file of ${by}. All are kept.`,
    detail:
      `The content of ${name} is now in ${nameOf(meta)}. The file of ${name} now has the content of ${by}. ` +
      'Another program put it there. Nothing was lost.',
    sessionId,
    conflict: sessions,
  };
}

/** Of both versions, without what tells them apart. */
const plainName = (meta: SessionMeta | undefined): string => {
  const { name } = splitTitle(meta?.title ?? '');
  return name === '' ? 'a session' : `“${name}”`;
};

const nameOf = ({ title }: SessionMeta): string => (title === '' ? 'A session' : `“${title}”`);

function messages(count: number): string {
  return count === 0 ? 'no messages' : count === 1 ? '1 message' : `${count} messages`;
}

function when(time: number): string {
  return new Date(time).toLocaleString('en-GB', { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' });
}
