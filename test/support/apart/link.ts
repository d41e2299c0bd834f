/**
 * What the test and the main process in plain Node say to each other (Node's own channel between parent and child), and what
 * main and a page say through the test. Types only: both ends import nothing of each other.
 */

/** From main to the test. */
export type ToTest =
  | { kind: 'open'; contents: number; page: OpenedPage }
  | { kind: 'resize'; contents: number; size: Size }
  | { kind: 'reload'; contents: number }
  | { kind: 'close'; contents: number }
  | { kind: 'theme'; scheme: Scheme }
  | { kind: 'to-page'; contents: number; message: ToPage }
  | { kind: 'evaluated'; id: number; value?: unknown; error?: string };

/** From the test to main. */
export type ToMain =
  | { kind: 'loaded'; contents: number }
  | { kind: 'crashed'; contents: number }
  | { kind: 'from-page'; contents: number; message: FromPage }
  /** Runs a function's source with the stand-in of Electron and one argument, as Playwright does in the real one. */
  | { kind: 'evaluate'; id: number; source: string; argument: unknown }
  | { kind: 'quit' };

export interface Size {
  width: number;
  height: number;
}

/** Null: as the system has it. */
export type Scheme = 'light' | 'dark' | null;

export interface OpenedPage {
  address: string;
  /** The file of its preload. */
  preload: string;
  size: Size;
  scheme: Scheme;
  /** What the browser has to be started with; only the first page starts it. */
  browser: { port: number; switches: [name: string, value: string][]; profile: string };
}

/** Electron's IPC in one page, as JSON. Ports are named by numbers that main gives. */
export type FromPage =
  | { type: 'begin' }
  | { type: 'invoke'; id: number; channel: string; values: unknown[] }
  | { type: 'send'; channel: string; values: unknown[] }
  | { type: 'port'; port: number; value: unknown }
  | { type: 'port-closed'; port: number };

export type ToPage =
  | { type: 'answer'; id: number; value?: unknown; error?: string }
  | { type: 'event'; channel: string; value: unknown; ports: number[] }
  | { type: 'port'; port: number; value: unknown };
