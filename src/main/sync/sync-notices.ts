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

/** A journal was written anew from the database. `damage`: what was wrong with it; null if it was gone. */
export function restoredNotice(sessionId: string, title: string, damage: readonly string[] | null): Notice {
  const name = title === '' ? 'a session' : `“${title}”`;
  const kept = 'The damaged file is kept in the trash folder for 30 days.';
  return {
    level: 'warning',
    code: 'journal-restored',
    text: `The file of ${name} was ${damage ? 'damaged' : 'gone'}. The session was brought back from the window’s database.`,
    detail: damage ? [...damage, kept].join(' ') : undefined,
    sessionId,
  };
}
