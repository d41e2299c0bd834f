/** The commands of branches: palette, shortcuts and the composer's slash commands (BR1, HF1). */
import type { SessionSummary } from '@shared/ipc/types';
import type { App } from './app';
import type { Command } from './commands';
import { handOff } from './handoff';
import { sessionShown } from './sessions-store';
import { createTreeActions, openBranchDialog, setLabel, tellBusy } from './tree-actions';
import { moveLeaf, rememberLeft, stepThroughLeaves } from './tree-moves';

export const BRANCH_COMMANDS: readonly Command[] = [
  {
    id: 'branch.back',
    title: 'Back to the branch before',
    group: 'Session',
    keys: 'Alt+ArrowLeft',
    run: (app) => onShown(app, ({ id }) => stepBy(app, id, 'back')),
  },
  {
    id: 'branch.forward',
    title: 'Forward to the branch after',
    group: 'Session',
    keys: 'Alt+ArrowRight',
    run: (app) => onShown(app, ({ id }) => stepBy(app, id, 'forward')),
  },
  {
    id: 'branch.fork',
    title: 'Fork this branch to a new session',
    group: 'Session',
    slash: 'fork',
    enabled: hasMessages,
    run: (app) => onShown(app, ({ id }) => createTreeActions(app).fork(id)),
  },
  {
    id: 'branch.handoff',
    title: 'Hand off to a new session',
    group: 'Session',
    slash: 'handoff',
    argument: 'goal',
    multiline: true,
    enabled: hasMessages,
    run: (app, goal) => onShown(app, ({ id }) => handOff(app, id, goal)),
  },
  {
    id: 'branch.clear',
    title: 'Start over in this session; what was said stays as a branch',
    group: 'Session',
    slash: 'clear',
    enabled: hasMessages,
    run: (app) => onShown(app, ({ id }) => clear(app, id)),
  },
  {
    id: 'branch.label',
    title: 'Label the newest message',
    group: 'Session',
    slash: 'label',
    argument: 'text',
    enabled: (app) => newestMessage(app) !== null,
    run: (app, text) => onShown(app, ({ id }) => label(app, id, text)),
  },
  {
    id: 'branch.context',
    title: 'What the model sees now',
    group: 'Session',
    enabled: hasMessages,
    run: (app) => onShown(app, ({ id }) => openBranchDialog(app, { kind: 'context', sessionId: id, entryId: null })),
  },
];

function onShown(app: App, act: (session: SessionSummary) => void | Promise<void>): void | Promise<void> {
  const session = sessionShown(app.sessions.getState());
  return session && act(session);
}

function hasMessages(app: App): boolean {
  const session = sessionShown(app.sessions.getState());
  return session !== undefined && app.openSession(session.id).live.getState().leafId !== null;
}

async function stepBy(app: App, sessionId: string, by: 'back' | 'forward'): Promise<void> {
  if (!tellBusy(app, sessionId)) await stepThroughLeaves(app, sessionId, by);
}

async function clear(app: App, sessionId: string): Promise<void> {
  if (tellBusy(app, sessionId)) return;
  const { leafId } = app.openSession(sessionId).live.getState();
  const undo = (): void => void app.attempt(() => moveLeaf(app, { sessionId, targetId: leafId, exact: true }));
  await app.attempt(async () => {
    await app.client.request('session.clear', { sessionId });
    rememberLeft(app, sessionId, leafId);
    app.toast({
      level: 'info',
      text: 'Cleared: the next message starts anew. What was said stays as a branch of this session.',
      action: { label: 'Undo', onSelect: undo },
    });
  });
}

async function label(app: App, sessionId: string, text: string): Promise<void> {
  const entryId = newestMessage(app);
  if (entryId === null) return;
  if (text === '') return openBranchDialog(app, { kind: 'label', sessionId, entryId });
  await setLabel(app, sessionId, entryId, text);
}

const LABELLED = new Set(['user', 'assistant', 'compaction', 'branchSummary', 'bash', 'custom']);

/** The newest row of the shown session that can carry a flag. */
function newestMessage(app: App): string | null {
  const session = sessionShown(app.sessions.getState());
  if (!session) return null;
  const { rows } = app.openSession(session.id).view.getState();
  return rows.findLast(({ kind }) => LABELLED.has(kind))?.id ?? null;
}
