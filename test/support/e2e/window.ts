import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import type { RequestName, RequestParams, RequestResult } from '../../../src/shared/ipc/contract';
import type { AppFailure, EndpointDraft, IpcResult, ModelRef, SessionSummary } from '../../../src/shared/types';
import type { RunningApp } from '../electron-app';
import { LONG } from './chat';
import { answerConsent } from './consent';

/** What a person sees and does in the window, in one place for all e2e specs. */
export class AppWindow {
  readonly page: Page;

  constructor(private readonly app: RunningApp) {
    this.page = app.page;
  }

  get composer(): Locator {
    return this.page.locator('[data-composer]');
  }

  get transcript(): Locator {
    return this.page.locator('[data-pane="transcript"]');
  }

  /** The failure card at the end of the transcript. */
  get failure(): Locator {
    return this.page.getByRole('alert').filter({ has: this.page.getByRole('heading') });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' });
  }

  /** The line of a session in the list. */
  row(sessionId: string): Locator {
    return this.page.locator(`[data-session="${sessionId}"]`);
  }

  /** Types a message and presses the keys; the composer is empty when it was taken. */
  async say(text: string, keys = 'Enter'): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press(keys);
    await expect(this.composer).toHaveValue('');
  }

  /**
   * A fresh session, shown in the window. It gets its name at once, as if from a person: no request for a title mixes with
   * those of the test.
   */
  async startSession(title: string, model: ModelRef): Promise<string> {
    const { id } = await this.request('sessions.create', {});
    await this.request('session.setModel', { sessionId: id, ...model });
    await this.request('sessions.rename', { sessionId: id, title });
    await this.show(id);
    return id;
  }

  async show(sessionId: string): Promise<void> {
    await this.row(sessionId).click();
    await expect(this.row(sessionId)).toHaveAttribute('aria-current', 'true');
    await expect(this.composer).toBeVisible();
  }

  /** The id of the session in the window. */
  async shownId(): Promise<string> {
    const id = await this.page.locator('[data-session][aria-current="true"]').getAttribute('data-session');
    if (id === null) throw new Error('A row of the sessions list has no id');
    return id;
  }

  async summary(sessionId: string): Promise<SessionSummary> {
    const { sessions } = await this.request('app.bootstrap', {});
    const summary = sessions.find(({ id }) => id === sessionId);
    if (!summary) throw new Error(`There is no session ${sessionId}`);
    return summary;
  }

  /** Waits until the session rests. */
  async rested(sessionId: string): Promise<SessionSummary> {
    await expect.poll(async () => (await this.summary(sessionId)).state, { timeout: LONG }).toMatch(/idle|error/);
    return this.summary(sessionId);
  }

  /** A request of the contract through the page's own bridge; throws with the message that a person would read. */
  async request<N extends RequestName>(name: N, params: RequestParams<N>): Promise<RequestResult<N>> {
    const answer = await this.ask(name, params);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.message}`);
    return answer.value;
  }

  /** The same where a refusal is expected. */
  async refusal<N extends RequestName>(name: N, params: RequestParams<N>): Promise<AppFailure> {
    const answer = await this.ask(name, params);
    if (answer.ok) throw new Error(`${name} was not refused`);
    return answer.error;
  }

  /** Clicks an item of the application menu by its labels. */
  async clickMenu(menu: string, item: string): Promise<void> {
    await this.app.electron.evaluate(
      ({ BrowserWindow, Menu }, [top, entry]) => {
        const plain = (label: string): string => label.replace('&', '');
        const found = Menu.getApplicationMenu()
          ?.items.find(({ label }) => plain(label) === top)
          ?.submenu?.items.find(({ label }) => plain(label) === entry);
        if (!found) throw new Error(`No menu item ${top} → ${entry}`);
        // As with the window in front, which a test's is not on every display.
        const [window] = BrowserWindow.getAllWindows();
        found.click(undefined, window, window?.webContents);
      },
      [menu, item] as const,
    );
  }

  /** File → Import…, with these files chosen: there is no person to answer the system's dialog. */
  async importByMenu(paths: readonly string[]): Promise<void> {
    await this.chooseInDialog(paths);
    await this.clickMenu('File', 'Import…');
  }

  /** Closes what toasts are there; one that asks nothing may leave by itself. */
  async dismissToasts(): Promise<void> {
    const button = this.page.getByRole('button', { name: 'Dismiss' }).first();
    await expect(async () => {
      if ((await button.count()) > 0) await button.click({ timeout: 5_000 });
      expect(await button.count()).toBe(0);
    }).toPass({ timeout: LONG });
  }

  /** From now on the system's dialogs for files and folders are answered with these; none: closed. */
  async chooseInDialog(paths: readonly string[]): Promise<void> {
    await this.app.electron.evaluate(
      ({ dialog }, filePaths) => {
        dialog.showOpenDialog = () => Promise.resolve({ canceled: filePaths.length === 0, filePaths });
      },
      [...paths],
    );
  }

  /** The handle of a file that is chosen in main's dialog, for `sessions.import`. */
  async handleOf(path: string): Promise<string> {
    await this.chooseInDialog([path]);
    const [file] = (await this.request('sessions.chooseImport', {})).files;
    if (!file) throw new Error(`${path} got no handle`);
    return file.handle;
  }

  /** Chooses a file and imports it, through the page's own bridge. */
  async importFile(path: string): Promise<SessionSummary> {
    return this.request('sessions.import', { file: await this.handleOf(path) });
  }

  /** Saves an endpoint whose address no other has, with the person's yes in main's own window. */
  async saveEndpoint(endpoint: EndpointDraft): Promise<void> {
    const saving = this.request('endpoints.save', { endpoint });
    await answerConsent(this.app, 'Use this address');
    await saving;
  }

  /**
   * Gives a session a workspace, as if chosen in main's dialog, and answers the question whether to trust it; null where none is
   * asked.
   */
  async setWorkspace(
    sessionId: string,
    folder: string,
    answer: 'Trust this folder' | 'Keep restricted' | null = 'Trust this folder',
  ): Promise<void> {
    await this.chooseInDialog([folder]);
    const done = this.request('sessions.chooseWorkspace', { sessionId });
    if (answer) await answerConsent(this.app, answer);
    await done;
  }

  /** A picture for eyes, kept only where `ESPALIER_SHOTS` names a folder. */
  async shot(name: string): Promise<void> {
    const folder = process.env.ESPALIER_SHOTS;
    if (folder) await this.page.screenshot({ path: join(folder, `${name}.png`), timeout: 20_000 }).catch(console.log);
  }

  private async ask<N extends RequestName>(name: N, params: RequestParams<N>): Promise<IpcResult<RequestResult<N>>> {
    const text = await this.page.evaluate(
      ([method, input]) => window.espalier?.request(method as RequestName, input) ?? 'null',
      [name, params] as const,
    );
    return JSON.parse(text) as IpcResult<RequestResult<N>>;
  }
}
