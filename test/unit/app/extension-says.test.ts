import { beforeEach, describe, expect, it } from 'vitest';
import type { ExtensionQuestion } from '@shared/extensions/ui';
import type { AppEvent } from '@shared/ipc/contract';
import { questionOf, runStateOf } from '@shared/session-state/attention';
import { sessionStateOf } from '@shared/session-state/phases';
import { reduce } from '@shared/session-state/reduce';
import { NO_SESSION } from '@shared/session-state/state';
import type { SessionSummary } from '@shared/types';
import { showQuestion } from '../../../src/renderer/actions/sessions';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import { NO_PAGE } from '../../../src/renderer/state/page';
import { type Toast, toastsIn } from '../../../src/renderer/state/ui-store';
import { createMemoryStore } from '../../support/memory-store';

const ONE = { id: 'one', name: 'one.ts' };
const TWO = { id: 'two', name: 'two.ts' };
const summary = (id: string): SessionSummary =>
  ({ id, title: id, state: 'idle', entryCount: 1, updatedAt: 0 }) as SessionSummary;

let app: App;
let hear: (...events: AppEvent[]) => void;
/** Where the cursor of the composer is; null: none is drawn. */
let caret: number | null;

beforeEach(async () => {
  caret = null;
  const client = {
    request: async (name: string) => (name === 'session.open' ? new Promise(() => undefined) : undefined),
    onEvents: (listener: (events: readonly AppEvent[], batch: number) => void) => {
      hear = (...events) => listener(events, 1);
      return () => undefined;
    },
  } as unknown as Client;
  app = createApp({ client, local: createMemoryStore(), page: { ...NO_PAGE, composerCaret: () => caret } });
  // The bootstrap has no answer: what is told afterwards is what counts here.
  await app.start();
  app.sessions.setState({ byId: { A: summary('A'), B: summary('B') } });
  app.activate('A');
});

const notice = (text: string, more: { sessionId?: string; extension?: typeof ONE; level?: 'info' | 'error' } = {}) =>
  ({ type: 'extension_notice', sessionId: 'A', extension: ONE, level: 'info', text, ...more }) as const;
const seen = (): readonly Toast[] => toastsIn(app.ui.getState().toasts, app.sessions.getState().activeId);
const texts = (): string[] => seen().map(({ text }) => text);
const draft = (): string => app.draftOf('A').state.getState().text;

describe('EX16: what an extension says is a toast', () => {
  it('with its name, in its own session: that of another waits until it is shown', () => {
    hear(notice('Saved.'), notice('There.', { sessionId: 'B' }));
    expect(texts()).toEqual(['one.ts: Saved.']);
    app.activate('B');
    expect(texts()).toEqual(['one.ts: There.']);
  });

  it('of one that says much the last three stand, and those of others with them', () => {
    hear(notice('Hello.', { extension: TWO }));
    hear(...['1', '2', '3', '4', '5', '6', '7', '8'].map((text) => notice(text)));
    expect(texts()).toEqual(['two.ts: Hello.', 'one.ts: 6', 'one.ts: 7', 'one.ts: 8']);
  });

  it('what was held back is one figure that grows', () => {
    hear({ ...notice(''), more: 999_980 });
    hear({ ...notice(''), more: 3 });
    expect(texts()).toEqual(['one.ts: and 999,983 more messages.']);
  });

  it('EX17: one that failed leads to Settings, where it is shown first', () => {
    hear({ ...notice('session_start: It threw.', { level: 'error' }), isFault: true });
    const { text, level, action } = seen()[0]!;
    expect([text, level, action?.label]).toEqual(['one.ts: session_start: It threw.', 'error', 'Show in Settings']);
    action?.onSelect();
    expect(app.ui.getState()).toMatchObject({ settings: 'extensions', extensionToShow: 'one' });
  });

  it('EX17: that the list changed is noted', () => {
    const before = app.ui.getState().extensionChanges;
    hear({ type: 'extensions_changed' });
    expect(app.ui.getState().extensionChanges).toBe(before + 1);
  });
});

describe('EX16: an extension and the composer', () => {
  const set = (text: string, how: 'set' | 'paste' = 'set') =>
    ({ type: 'extension_text', sessionId: 'A', extension: ONE, text, how }) as const;

  it('an empty one is filled, without a word', () => {
    hear(set('A draft'));
    expect([draft(), texts()]).toEqual(['A draft', []]);
  });

  it('what the person had written is one press away', () => {
    app.draftOf('A').set({ text: 'my own words' });
    hear(set('Others'));
    expect([draft(), texts()]).toEqual(['Others', ['one.ts put another text in place of what you had written.']]);
    expect(seen()[0]?.action?.label).toBe('Undo');
    seen()[0]?.action?.onSelect();
    expect([draft(), app.draftOf('A').state.getState().aside]).toEqual(['my own words', []]);
  });

  it('an undo keeps what was written since beside the field', () => {
    app.draftOf('A').set({ text: 'my own words' });
    hear(set('Others'));
    app.draftOf('A').set({ text: 'Others, changed' });
    seen()[0]?.action?.onSelect();
    expect([draft(), app.draftOf('A').state.getState().aside]).toEqual(['my own words', ['Others, changed']]);
  });

  it('a text too long for the field stands beside it, and the words before come back', () => {
    app.draftOf('A').set({ text: 'my own words' });
    const long = 'x'.repeat(60_000);
    hear(set(long));
    expect(app.draftOf('A').state.getState().aside).toEqual([long]);
    seen()[0]?.action?.onSelect();
    expect(draft()).toBe('my own words');
  });

  it('what is pasted comes at the cursor, and takes nothing away', () => {
    app.draftOf('A').set({ text: 'before after' });
    caret = 7;
    hear(set('between ', 'paste'));
    expect([draft(), texts()]).toEqual(['before between after', []]);
    caret = null;
    hear(set('!', 'paste'));
    expect(draft()).toBe('before between after!');
  });
});

describe('EX16: a question of an extension', () => {
  const question = (id: string, title: string): ExtensionQuestion => ({
    ...{ id, title, extension: ONE, createdAt: 5, kind: 'input', placeholder: '' },
  });
  const asked = reduce(NO_SESSION, { type: 'extension_asks', question: question('q', 'Which?') });

  it('NT1: marks its session as one that needs the person, also at rest, until it is over', () => {
    expect(sessionStateOf(asked)).toBe('waiting');
    expect(runStateOf({ state: sessionStateOf(asked), turn: 'none' })).toBe('needsYou');
    expect(questionOf(asked)).toEqual({ what: 'one.ts: Which?', more: 0, since: 5 });
    const over = reduce(asked, { type: 'extension_answered', questionId: 'q' });
    expect([sessionStateOf(over), questionOf(over)]).toEqual(['idle', null]);
  });

  it('stays where the run that it came in comes to its end', () => {
    expect(reduce(asked, { type: 'settled', leafId: null, reason: 'done' }).extensionQuestions).toHaveLength(1);
  });

  it('that was put aside is led to by the key for questions', () => {
    app.openSession('A').live.setState(asked);
    app.ui.setState({ questionsAside: ['q', 'other'] });
    showQuestion(app, { id: 'A' });
    expect(app.ui.getState().questionsAside).toEqual(['other']);
  });
});
