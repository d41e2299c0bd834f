import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningApp } from '../electron-app';
import type { AppWindow } from './window';

/** What a home is prepared with for the tests that play a compromised page: canaries for keys, and settings that guard. */
export const KEY = 'sk-canary-0123456789abcdef';
export const HEADER = 'header-canary-0123456789abcdef';

export const GUARDED_ENDPOINT = {
  id: 'lab',
  name: 'Lab',
  api: 'openai-completions' as const,
  baseUrl: 'https://lab.invalid/v1',
  headers: { 'X-Api-Token': '' },
  models: [{ id: 'oak', contextWindow: 8192, maxTokens: 1024, images: false, reasoning: false }],
};

export const GUARDED_SETTINGS = {
  'tools.bash': 'deny',
  'tools.deniedPaths': ['/denied'],
  'compaction.remoteEndpoint': 'https://summaries.invalid/x',
} as const;

/** Writes them as an earlier version did, the keys without their addresses. */
export function guardHome(home: string): void {
  mkdirSync(home, { recursive: true });
  const keep = (name: string, value: unknown): void => writeFileSync(join(home, name), JSON.stringify(value));
  keep('endpoints.json', { endpoints: [GUARDED_ENDPOINT], learnedWindows: {} });
  keep('settings.json', GUARDED_SETTINGS);
  keep('credentials.json', {
    lab: { kind: 'plain', value: KEY },
    'endpoint-headers:lab': { kind: 'plain', value: JSON.stringify({ 'X-Api-Token': HEADER }) },
    'compaction.remoteAuth': { kind: 'plain', value: KEY },
  });
}

/** Nobody is there for the system's windows: each is closed at once, and nothing is opened outside. */
export function closeSystemDialogs(app: RunningApp): Promise<void> {
  return app.electron.evaluate(({ dialog, shell }) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: true, filePaths: [] });
    dialog.showSaveDialog = () => Promise.resolve({ canceled: true, filePath: '' }) as never;
    dialog.showMessageBox = () => Promise.resolve({ response: 1, checkboxChecked: false });
    shell.openPath = () => Promise.resolve('');
    shell.openExternal = () => Promise.resolve();
  });
}

export interface Rights {
  settings: Record<keyof typeof GUARDED_SETTINGS, unknown>;
  stored: unknown;
  keys: Record<string, unknown>;
  rules: unknown[];
  workspaces: string[];
  trusted: unknown;
}

/** What stands on the disk and in main; nothing of it may grow by itself. */
export async function rightsOf(home: string, win: AppWindow): Promise<Rights> {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(home, name), 'utf8'));
  const { settings, sessions } = await win.request('app.bootstrap', {});
  const { rules } = await win.request('approvals.rules', {});
  return {
    settings: Object.fromEntries(
      Object.keys(GUARDED_SETTINGS).map((key) => [key, settings[key as keyof typeof GUARDED_SETTINGS]]),
    ) as Rights['settings'],
    stored: read('endpoints.json'),
    keys: read('credentials.json') as Record<string, unknown>,
    rules,
    workspaces: [...new Set(sessions.map(({ workspace }) => workspace))],
    trusted: await win.request('trust.list', {}),
  };
}
