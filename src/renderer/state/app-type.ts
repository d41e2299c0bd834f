import type { StoreApi } from 'zustand/vanilla';
import type { MenuCommand } from '@shared/app-menu';
import type { RequestName, RequestParams, RequestResult } from '@shared/ipc/contract';
import type { Client } from '../bridge';
import type { ReportFault } from './failures';
import type { DraftStore } from './draft-store';
import type { FindStore } from './find-store';
import type { LocalStore } from './local-store';
import type { OpenSession } from './open-session';
import type { Page } from './page';
import type { SessionsState } from './sessions-store';
import type { SearchStore } from './search-store';
import type { SettingsState } from './settings-store';
import type { SlashStore } from './slash-store';
import type { TerminalsStore } from './terminals-store';
import type { Layout, Toast, UiState } from './ui-store';

/** The window's state as its parts see it; `createApp` makes it. */
export interface App {
  readonly client: Client;
  readonly local: LocalStore;
  readonly sessions: StoreApi<SessionsState>;
  readonly settings: StoreApi<SettingsState>;
  readonly ui: StoreApi<UiState>;
  readonly search: SearchStore;
  readonly find: FindStore;
  readonly slash: SlashStore;
  readonly terminals: TerminalsStore;
  readonly page: Page;
  readonly now: () => number;
  /** Tells main that this window listens, reads its state, opens the last session. Never throws. */
  start(): Promise<void>;
  /** The open session with that id, opened if need be. */
  openSession(sessionId: string): OpenSession;
  /** The one draft of a session, whether it is open, closed or deleted. Opens nothing. */
  draftOf(sessionId: string): DraftStore;
  /** Shows a session. */
  activate(sessionId: string): void;
  /** Shows a session as plain text, until it is closed or opened as usual. */
  openSafely(sessionId: string): void;
  /** Shows the neighbour of a session that goes away; with none left, a new one. Does nothing if another is shown. */
  leave(goneId: string): void;
  /** Tells of what somebody just did. Told again while it stands, it is one with a count; each offer stands by itself (GR25). */
  toast(toast: Omit<Toast, 'id' | 'count'>): string;
  dismissToast(id: string): void;
  announce(text: string): void;
  /** Tells main's log of something that failed in the window. */
  readonly reportFault: ReportFault;
  /** What is wrong with the window's own copy, or null. */
  setLocalProblem(text: string | null): void;
  setLayout(patch: Partial<Layout>): void;
  /** Runs a task; a failure becomes a toast. Resolves with undefined in that case. */
  attempt<T>(task: () => Promise<T>): Promise<T | undefined>;
  /** Asks main for something in the same way. */
  ask<N extends RequestName>(name: N, params: RequestParams<N>): Promise<RequestResult<N> | undefined>;
  /** The same for what has no answer: resolves whether it was done. */
  did<N extends RequestName>(name: N, params: RequestParams<N>): Promise<boolean>;
  /** What the application menu asks for goes here. */
  onCommand: (command: MenuCommand) => void;
  /** A session that the person asked for outside the window goes here. */
  onAttend: (sessionId: string) => void;
  stop(): void;
}
