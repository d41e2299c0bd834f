/** What Settings lists of extensions (EX17). Plain JSON; every text in it is an extension's and may say anything. */

/** Which extension, and how the person knows it. */
export interface ExtensionName {
  /** Made up by main; the same as long as its file stays where it is. */
  id: string;
  name: string;
}

/** `resting`: its process ended too often and is not started again by itself. */
export type ExtensionState = 'starting' | 'running' | 'off' | 'failed' | 'resting';

/** Whether `ctx.mode` says that there is a terminal (EX16). */
export type ExtensionMode = 'tui' | 'rpc';

/** Something that an extension did wrong. */
export interface ExtensionFault {
  /** The event, command or tool in which it happened. */
  event: string;
  error: string;
  stack?: string;
  /** Unix milliseconds of the last time. */
  at: number;
  /** How often it happened. */
  count: number;
}

export interface ExtensionView extends ExtensionName {
  /** Its file or folder. */
  path: string;
  /** The trusted workspace that it belongs to; null: it is the person's own and runs in every session. */
  workspace: string | null;
  /** Where it was found, as the person would look for it: `extensions`, `.pi/extensions`, a package's name and version. */
  origin: string;
  enabled: boolean;
  state: ExtensionState;
  /** Why it is not running, in a sentence. */
  problem?: string;
  /** Newest first. */
  errors: ExtensionFault[];
  tools: string[];
  commands: string[];
  /** The members of the interface that it has used, as `pi.exec`. */
  used: string[];
  mode: ExtensionMode;
}

/** What `extensions.list` answers. */
export interface ExtensionList {
  extensions: ExtensionView[];
  /** The person's own folder for them. */
  place: string;
}
