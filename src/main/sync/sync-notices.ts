import type { Notice } from '@shared/ipc/types';

/** The window's database came back empty although there are sessions. */
export function emptiedNotice(sessions: number): Notice {
  const what = sessions === 1 ? 'One session was' : `${sessions} sessions were`;
  return {
    level: 'warning',
    code: 'database-emptied',
    text: `The window’s database was empty. ${what} copied back from the journal files.`,
    detail:
      'The browser part of Espalier empties its database when it finds its files damaged. Nothing that was saved is lost; unsent drafts were kept only there.',
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
