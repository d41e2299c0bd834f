/** What the window is shown of folders and of the trust in them. Plain JSON. */

/**
 * What a file is to the guidance of the workspace: `now`: what is read with the next message, or would be once it is there;
 * `other`: a file of such a name elsewhere, the second one, or one that such a name leads to.
 */
export type GuidanceRole = 'now' | 'other';

/** What the window shows of a session's folder. */
export interface WorkspaceStatus {
  folder: string;
  /** `silent`: it does not answer; that it does again is told by `trust_changed`. */
  trust: 'trusted' | 'restricted' | 'scratch' | 'missing' | 'silent';
  /** Another folder stands where the person trusted one. */
  isReplaced: boolean;
  /** Not trusted, but the person allowed reading here until the session is closed. */
  isReadingAllowed: boolean;
  /** The project's notes that the model is given; null if there are none, or none are read here. */
  guidance: { name: string; path: string; bytes: number; isCut: boolean } | null;
  /** Where an imported session says that it was made; the person has not chosen it. */
  suggestion: string | null;
}

/** A folder of sessions that the person has not trusted. */
interface KnownFolder {
  id: string;
  path: string;
  sessions: number;
}

export interface TrustList {
  /** `trustedAt`: Unix milliseconds. */
  trusted: { id: string; path: string; trustedAt: number; isReplaced: boolean }[];
  known: KnownFolder[];
}

/** The code of the notice that offers the folders of earlier sessions. */
export const TRUST_OFFER = 'trust-offer';
