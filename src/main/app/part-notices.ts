import { type Notice, TRUST_OFFER } from '@shared/types';

/** What the services tell at their start. */

/** Once, at the first start that knows of trust: what worked before rests until the person has answered. */
export const TRUST_NOTICE: Notice = {
  level: 'info',
  code: TRUST_OFFER,
  text: 'Folders are restricted until you trust them',
  detail:
    'This includes the folders of your existing sessions. Choose the ones you know; Espalier asks about the others when you use them.',
};

/** A file that an export left half written was removed. */
export const cutExport = (path: string): Notice => ({
  level: 'warning',
  code: 'export-cut',
  text: `The export to ${path} was cut off when Espalier ended`,
  detail: 'Its unfinished part was removed, and what was at that name is as it was. Export the session again.',
});

/** A session without messages whose deletion was undone could not be noted again (JN49). */
export const unnoted = (title: string, why: unknown): Notice => ({
  level: 'warning',
  code: 'session-unnoted',
  text: `${title === '' ? 'The session' : `“${title}”`} is back, but may be gone when Espalier starts again`,
  detail: `${why instanceof Error ? why.message : String(why)} A session in which a message was sent is kept.`,
});
