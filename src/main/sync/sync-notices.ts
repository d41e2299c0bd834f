import type { Notice } from '@shared/ipc/types';
import type { FoundInstead, SessionMeta, SessionStore } from '../ports';

/** The window's database came back empty although there are sessions. */
export function emptiedNotice(sessions: number): Notice {
  const what = sessions === 1 ? 'One session was' : `${sessions} sessions were`;
  return {
    level: 'warning',
    code: 'database-emptied',
    text: `The window’s database was empty. ${what} copied back from the journal files.`,
    detail:
      'So it is where this folder is opened for the first time on another computer or with a new profile, and where the browser part of Espalier found its database damaged. Sessions are read from their files; unsent drafts are kept only in the database.',
  };
}

/** A journal that was damaged, or else gone, was written anew from the database. */
export function restoredNotice(sessionId: string, title: string, isDamaged: boolean): Notice {
  const name = title === '' ? 'a session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'journal-restored',
    text: `The file of ${name} was ${isDamaged ? 'damaged' : 'gone'}. The session was brought back from the window’s database.`,
    detail: isDamaged ? 'The damaged file is kept in the trash folder for 30 days.' : undefined,
    sessionId,
  };
}

/** In the place of a journal was something else; it was written anew from the database, or from what was open here. */
export function foundNotice(sessionId: string, title: string, { what, keptAs }: FoundInstead): Notice {
  const name = title === '' ? 'a session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'journal-restored',
    text: `The file of ${name} had been replaced by ${what}. The session was brought back from its second copy.`,
    detail: keptAs === null ? undefined : `What was there is kept beside it as ${keptAs}.`,
    sessionId,
  };
}

/** Another program put the lines of two copies of a session into one file. */
export function mergedNotice(sessionId: string, title: string, count: number): Notice {
  const name = title === '' ? 'A session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'session-merged',
    text: `${name} went on in two places, and another program put both into one file.`,
    detail: `${messages(count)} of the other copy ${count === 1 ? 'is' : 'are'} in it. Each side is a branch of its own in the graph. Nothing is lost.`,
    sessionId,
  };
}

/** Another program wrote into the file of an open session what follows nothing in it. */
export function strayedNotice(sessionId: string, title: string, entries: number): Notice {
  const name = title === '' ? 'a session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'session-merged',
    text: `The file of ${name} was changed by another program while it was open.`,
    detail: `${entries === 1 ? 'An entry was' : `${entries} entries were`} added that follow${entries === 1 ? 's' : ''} nothing in it. Your conversation goes on where it was; what was added is a branch of its own in the graph.`,
    sessionId,
  };
}

/** A newer copy that a sync program laid beside the journal was taken in. */
export function takenInNotice(sessionId: string, title: string): Notice {
  const name = title === '' ? 'a session' : `“${title}”`;
  return {
    level: 'warning',
    code: 'copy-taken-in',
    text: `A newer copy of ${name} lay beside its file. The session has now what the copy has.`,
    detail:
      'Sync programs leave such copies. This one, and what it replaced, are kept in the trash folder for 30 days.',
    sessionId,
  };
}

/** A session went on in two places: what differs, and both to open. Null if that was read, or is no such session. */
export function conflictNotice(store: Pick<SessionStore, 'meta'>, sessionId: string): Notice | null {
  const meta = store.meta(sessionId);
  if (!meta?.conflict || meta.conflict.isRead) return null;
  const { with: otherId, there, here, since } = meta.conflict;
  const other = store.meta(otherId);
  const name = other ? nameOf(other) : 'A session';
  if (meta.conflict.fileOf !== undefined) return replacedNotice(store, sessionId, meta, meta.conflict.fileOf);
  return {
    level: 'warning',
    code: 'session-conflict',
    text: `There are two versions of ${name}. Both are kept.`,
    detail:
      `${since === null ? '' : `Their first difference is from ${when(since)}. `}Only in ${other ? name : 'the other one'}: ${messages(there)}. ` +
      `Only in ${nameOf(meta)}: ${messages(here)}. Another program changed the session’s file, as a sync program does when two computers share the folder. Nothing is lost.`,
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
      ? 'another session of that name'
      : nameOf(owner);
  const sessions = [
    { sessionId, title: meta.title },
    ...(replaced ? [{ sessionId: replacedId, title: replaced.title }] : []),
    ...(owner ? [{ sessionId: fileOf, title: owner.title }] : []),
  ];
  return {
    level: 'warning',
    code: 'session-conflict',
    text: `The file of ${name} was replaced by that of ${by}. All are kept.`,
    detail:
      `What was in ${name} is now in ${nameOf(meta)}. In the place of ${name} is what was in the file of ${by}. ` +
      'Another program put it there. Nothing is lost.',
    sessionId,
    conflict: sessions,
  };
}

const nameOf = ({ title }: SessionMeta): string => (title === '' ? 'A session' : `“${title}”`);

function messages(count: number): string {
  return count === 0 ? 'no messages' : count === 1 ? '1 message' : `${count} messages`;
}

function when(time: number): string {
  return new Date(time).toLocaleString('en-GB', { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' });
}
