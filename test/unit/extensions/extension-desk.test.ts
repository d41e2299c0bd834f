import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ExtensionQuestion } from '@shared/extensions/ui';
import type { ExtensionChange, ExtensionEvent } from '@shared/session-state/events';
import { reduce } from '@shared/session-state/reduce';
import { type LiveSession, NO_SESSION } from '@shared/session-state/state';
import { BOUNDS } from '../../../src/main/extensions/ui/bounds';
import { ExtensionDesk } from '../../../src/main/extensions/ui/extension-desk';
import type { ExtensionUi } from '../../../src/main/extensions/ui/extension-ui';

const ONE = { id: 'one', name: 'one.ts' };
const TWO = { id: 'two', name: 'two.ts' };

let desk: ExtensionDesk;
/** What each session shows, as main and window make it of the changes. */
let live: Map<string, LiveSession>;
let said: ExtensionEvent[];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  live = new Map();
  said = [];
  desk = new ExtensionDesk({
    tell: (id: string, change: ExtensionChange) => live.set(id, reduce(live.get(id) ?? NO_SESSION, change)),
    emit: (event) => said.push(event),
    now: Date.now,
  });
});
afterEach(() => {
  desk.close();
  vi.useRealTimers();
});

const questions = (id = 's'): readonly ExtensionQuestion[] => live.get(id)?.extensionQuestions ?? [];
const shows = (id = 's') => (live.get(id) ?? NO_SESSION).extensionShows;
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(50);

describe('EX16: questions of extensions', () => {
  let ui: ExtensionUi;
  beforeEach(() => (ui = desk.uiFor('s', ONE)));

  it('wait in the state of their session, oldest first, and end with the answer', async () => {
    const chosen = ui.select('Which?', ['a', 'b']);
    const agreed = ui.confirm('Sure?', 'It can’t be undone.');
    const typed = ui.input('Name', 'of the branch');
    const edited = ui.editor('Plan', 'one\ntwo');
    expect(questions().map(({ kind, title, extension }) => [kind, title, extension.name])).toEqual([
      ['select', 'Which?', 'one.ts'],
      ['confirm', 'Sure?', 'one.ts'],
      ['input', 'Name', 'one.ts'],
      ['editor', 'Plan', 'one.ts'],
    ]);
    const [select, confirm, input, editor] = questions();
    expect(desk.answer('s', editor!.id, 'one')).toBe(true);
    expect(desk.answer('s', select!.id, 1)).toBe(true);
    expect(desk.answer('s', input!.id, '')).toBe(true);
    expect(desk.answer('s', confirm!.id, true)).toBe(true);
    expect(await Promise.all([chosen, agreed, typed, edited])).toEqual(['b', true, '', 'one']);
    expect(questions()).toEqual([]);
  });

  it('end without an answer as pi’s do: undefined, and false', async () => {
    const all = [ui.select('a', ['x']), ui.confirm('b', ''), ui.input('c'), ui.editor('d')];
    for (const { id } of questions()) expect(desk.answer('s', id, null)).toBe(true);
    expect(await Promise.all(all)).toEqual([undefined, false, undefined, undefined]);
  });

  it('an answer that is none to the question changes nothing; neither does a second one, nor one in another session', async () => {
    const chosen = ui.select('Which?', ['a', 'b']);
    const [{ id } = { id: '' }] = questions();
    for (const wrong of [2, 'a', true]) expect(desk.answer('s', id, wrong), String(wrong)).toBe(false);
    expect(desk.answer('other', id, 0)).toBe(false);
    expect(questions()).toHaveLength(1);
    expect(desk.answer('s', id, 0)).toBe(true);
    expect(desk.answer('s', id, 1)).toBe(false);
    expect(await chosen).toBe('a');
  });

  it('what is cut for the eye is answered with whole: the option itself goes back', async () => {
    const long = 'x'.repeat(BOUNDS.option * 3);
    const chosen = ui.select('Which?', [long]);
    const [question] = questions();
    expect(question?.kind === 'select' && question.options[0]).toHaveLength(BOUNDS.option);
    desk.answer('s', question!.id, 0);
    expect(await chosen).toBe(long);
  });

  it('end with their signal, also one that had ended before', async () => {
    const controller = new AbortController();
    const asked = ui.confirm('Sure?', '', { signal: controller.signal });
    expect(questions()).toHaveLength(1);
    controller.abort();
    expect(await asked).toBe(false);
    expect(await ui.input('Late?', '', { signal: controller.signal })).toBeUndefined();
    expect(questions()).toEqual([]);
  });

  it('end with their time, and say until when they wait', async () => {
    const asked = ui.input('Name?', '', { timeout: 5_000 });
    expect(questions()[0]?.until).toBe(1_005_000);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(questions()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await asked).toBeUndefined();
    expect(questions()).toEqual([]);
  });

  it.each([NaN, 0, -5, Number.POSITIVE_INFINITY])('a time of %s ms ends none at once', async (timeout) => {
    void ui.input('Name?', '', { timeout });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(questions()).toHaveLength(1);
  });

  it('end with their extension, and those of another stay', async () => {
    const mine = ui.confirm('Mine?', '');
    const other = desk.uiFor('s', TWO).confirm('Other?', '');
    ui.end();
    expect(await mine).toBe(false);
    expect(questions().map(({ title }) => title)).toEqual(['Other?']);
    // What is over asks nothing any more; who comes after it does.
    expect(await ui.confirm('Again?', '')).toBe(false);
    void desk.uiFor('s', ONE).confirm('Anew?', '');
    expect(questions().map(({ title }) => title)).toEqual(['Other?', 'Anew?']);
    desk.closeSession('s');
    expect(await other).toBe(false);
  });

  it('end with their session, whoever asked', async () => {
    const asked = [ui.input('a'), desk.uiFor('s', TWO).input('b'), desk.uiFor('t', ONE).input('c')];
    desk.closeSession('s');
    expect(await Promise.all(asked.slice(0, 2))).toEqual([undefined, undefined]);
    expect(questions('t')).toHaveLength(1);
  });

  it('are what a session that is loaded again begins with: none is lost from sight', () => {
    void ui.select('Which?', ['a']);
    const again = desk.shownIn('s').extensionQuestions;
    expect(again).toEqual(questions());
    // Told once more behind that, it is there once.
    const state = { ...NO_SESSION, extensionQuestions: again };
    expect(reduce(state, { type: 'extension_asks', question: again[0]! }).extensionQuestions).toHaveLength(1);
  });

  it('are bounded: so many at a time, and each of its texts', async () => {
    void ui.confirm('t'.repeat(1e6), 'm'.repeat(1e6));
    const [question] = questions();
    expect(question?.title).toHaveLength(BOUNDS.questionTitle);
    expect(question?.kind === 'confirm' && question.message).toHaveLength(BOUNDS.message);
    for (let count = 1; count < BOUNDS.questions; count++) void ui.input('more');
    expect(await ui.input('one too many')).toBeUndefined();
    expect(questions()).toHaveLength(BOUNDS.questions);
  });

  it('take any value for a text: nothing throws', async () => {
    const odd = [undefined, null, 7, {}, { toString: 1, valueOf: 1 }, Object.create(null), ['a'], Symbol('s')];
    for (const value of odd as string[]) {
      void ui.select(value, value as unknown as string[]);
      void ui.confirm(value, value);
      ui.notify(value, value as 'info');
      ui.setStatus(value, value);
      ui.setWidget(value, [value, value]);
      ui.setTitle(value);
      ui.setEditorText(value);
      ui.pasteToEditor(value);
      ui.setWorkingMessage(value);
      ui.setWorkingIndicator({ frames: [value], intervalMs: value });
      ui.setHiddenThinkingLabel(value);
      ui.editorSays(value, value);
      ui.failed(value);
    }
    await settle();
    expect(questions().length).toBeGreaterThan(0);
  });
});

describe('EX24: an editor in the place of the composer’s field', () => {
  const typed = () =>
    said.flatMap((event) => (event.type === 'extension_typed' ? [`${event.does} ${event.text}`] : []));
  const open = (ui: ExtensionUi, closing = new AbortController()) => {
    const taken: unknown[] = [];
    const view = { key: 'k', take: (what: unknown) => taken.push(what) };
    return { closing, taken, over: ui.openEditor(view, { signal: closing.signal }) };
  };

  it('stands in the state, hears keys, and what it holds is the composer’s text', async () => {
    const [one, two] = [desk.uiFor('s', ONE), desk.uiFor('s', TWO)];
    const heard: unknown[] = [];
    two.onEditorText((...args) => heard.push(args));
    const first = open(one);
    await settle();
    desk.viewTakes('s', shows().editor!.viewId, { input: 'a' });
    expect(first.taken).toEqual([{ input: 'a' }]);
    one.editorSays('hold', 'a\u001b[2Jb');
    expect(typed()).toEqual(['hold ab']);
    expect([heard, two.getEditorText()]).toEqual([[['ab', true]], 'ab']);
    const second = open(two);
    await settle();
    expect(shows().editor?.extension).toEqual(TWO);
    second.closing.abort();
    await second.over;
    await settle();
    expect(shows().editor?.extension).toEqual(ONE);
    one.end();
    await first.over;
    await settle();
    expect(shows().editor).toBeNull();
  });

  it('sends nothing without a key of the person, one thing for a key, and nothing for who has no editor', async () => {
    const [one, two] = [desk.uiFor('s', ONE), desk.uiFor('s', TWO)];
    open(one);
    await settle();
    const key = () => desk.viewTakes('s', shows().editor!.viewId, { input: '\r' });
    one.editorSays('submit', 'unasked');
    key();
    two.editorSays('submit', 'another’s');
    one.editorSays('submit', 'asked');
    one.editorSays('submit', 'once more');
    key();
    await vi.advanceTimersByTimeAsync(6_000);
    one.editorSays('submit', 'late');
    key();
    one.editorSays('format the disk', 'x');
    one.editorSays('escape', '');
    expect(typed()).toEqual(['submit asked', 'escape ']);
  });
});

describe('EX16: what extensions show', () => {
  it('another sign and other words for work, within their bounds, until they are taken back', async () => {
    const ui = desk.uiFor('s', ONE);
    ui.setWorkingIndicator({ frames: ['\u001b[31m●\u001b[2J', 7, 'x'.repeat(1_000)], intervalMs: 1 });
    ui.setHiddenThinkingLabel('Pondering\n…');
    ui.setWorkingVisible(false);
    ui.setCompletes(true);
    await settle();
    expect(shows()).toMatchObject({
      ...{ thinkingLabel: 'Pondering …', isWorkingHidden: true, completes: true },
      indicator: { frames: ['\u001b[31m●', '7', 'x'.repeat(BOUNDS.indicatorFrame)], everyMs: 50 },
    });
    ui.setWorkingIndicator({ frames: [] });
    await settle();
    expect(shows().indicator).toEqual({ frames: [], everyMs: 80 });
    ui.setWorkingIndicator(undefined);
    ui.setHiddenThinkingLabel();
    ui.setWorkingVisible(true);
    ui.setCompletes(false);
    await settle();
    expect(shows()).toEqual({ ...NO_SESSION.extensionShows, isHere: true });
  });

  it('nothing is shown of a session in which no extension runs; of one, that it is there', async () => {
    expect(desk.shownIn('s').extensionShows.isHere).toBe(false);
    const ui = desk.uiFor('s', ONE);
    await settle();
    expect(shows().isHere).toBe(true);
    ui.end();
    await settle();
    expect(shows()).toEqual(NO_SESSION.extensionShows);
  });

  it('statuses and widgets by their keys, each of its extension, in the order in which they came', async () => {
    const [one, two] = [desk.uiFor('s', ONE), desk.uiFor('s', TWO)];
    one.setStatus('a', 'first');
    two.setStatus('a', 'of another');
    one.setStatus('b', 'second');
    one.setStatus('a', 'changed');
    one.setWidget('w', ['1', '2'], 'belowEditor');
    two.setWidget('w', ['3\n4']);
    await settle();
    expect(shows().statuses.map(({ text }) => text)).toEqual(['changed', 'of another', 'second']);
    expect(shows().widgets.map(({ lines, placement }) => [lines, placement])).toEqual([
      [['1', '2'], 'below'],
      [['3', '4'], 'above'],
    ]);
    one.setStatus('a', undefined);
    two.setWidget('w', undefined);
    await settle();
    expect(shows().statuses.map(({ text }) => text)).toEqual(['of another', 'second']);
    expect(shows().widgets).toHaveLength(1);
    one.end();
    await settle();
    expect([shows().statuses.length, shows().widgets.length]).toEqual([1, 0]);
  });

  it('of titles and working words the last stands, and the one before comes back', async () => {
    const [one, two] = [desk.uiFor('s', ONE), desk.uiFor('s', TWO)];
    one.setTitle('one');
    two.setTitle('two');
    two.setWorkingMessage('Digging…');
    await settle();
    expect(shows()).toMatchObject({ title: 'two', working: 'Digging…' });
    two.end();
    await settle();
    expect(shows()).toMatchObject({ title: 'one', working: null });
    one.setTitle('');
    await settle();
    expect(shows().title).toBeNull();
  });

  it('what says the same as before is the same part: only what is another is drawn again', async () => {
    const ui = desk.uiFor('s', ONE);
    ui.setStatus('a', 'one');
    ui.setStatus('b', 'two');
    ui.setWidget('w', ['1']);
    ui.setDraws({ tools: ['t'], types: [] });
    ui.setWorkingIndicator({ frames: ['.'] });
    await settle();
    const before = shows();
    ui.setStatus('b', 'changed');
    await settle();
    // As it comes to a window: copied.
    const now = reduce(
      { ...NO_SESSION, extensionShows: before },
      { type: 'extension_shows', shows: structuredClone(shows()) },
    );
    const { statuses, ...rest } = now.extensionShows;
    expect(statuses.map(({ text }) => text)).toEqual(['one', 'changed']);
    expect(statuses[0]).toBe(before.statuses[0]);
    for (const part of ['widgets', 'draws', 'indicator', 'editor'] as const)
      expect(rest[part], part).toBe(before[part]);
    const again = reduce(now, { type: 'extension_shows', shows: structuredClone(now.extensionShows) });
    expect(again.extensionShows.statuses).toBe(statuses);
    ui.setWidget('w', ['1', '2']);
    await settle();
    expect(shows().widgets[0]).not.toBe(before.widgets[0]);
  });

  it('a hundred thousand changes are told as a few', async () => {
    const ui = desk.uiFor('s', ONE);
    const told = vi.fn();
    const noisy = new ExtensionDesk({ tell: told, emit: () => undefined, now: Date.now });
    const loud = noisy.uiFor('s', ONE);
    for (let at = 0; at < 100_000; at++) loud.setStatus('at', String(at));
    await settle();
    expect(told.mock.calls.length).toBeLessThanOrEqual(2);
    expect(told.mock.lastCall?.[1]).toMatchObject({ shows: { statuses: [{ text: '99999' }] } });
    noisy.close();
    ui.end();
  });

  it('is bounded in number and length, and says how many lines are left out', async () => {
    const ui = desk.uiFor('s', ONE);
    for (let at = 0; at < 100; at++) {
      ui.setStatus(`s${at}`, 'x'.repeat(1e5));
      ui.setWidget(
        `w${at}`,
        Array.from({ length: 1_000 }, () => 'y'.repeat(1e4)),
      );
    }
    await settle();
    expect(shows().statuses).toHaveLength(BOUNDS.statuses);
    expect(shows().widgets).toHaveLength(BOUNDS.widgets);
    expect(shows().statuses[0]?.text).toHaveLength(BOUNDS.status);
    expect(shows().widgets[0]?.lines).toHaveLength(BOUNDS.widgetLines);
    expect(shows().widgets[0]?.more).toBe(1_000 - BOUNDS.widgetLines);
    ui.setWidget('w0', ['y', 'z'], 'aboveEditor', 5);
    await settle();
    expect(shows().widgets[0]).toMatchObject({ lines: ['y', 'z'], more: 5 });
    expect(JSON.stringify(shows()).length).toBeLessThan(400_000);
  });

  it('keeps colours and drops every other sequence of a terminal', async () => {
    const ui = desk.uiFor('s', ONE);
    const dirty =
      '\u001b[31mred\u001b[0m \u001b]8;;https://evil.test\u0007link\u001b]8;;\u0007 \u001b[2Jgone\u001b[?25l\u0007\u009b31m\r\nend';
    ui.setStatus('a', dirty);
    ui.setTitle(dirty);
    ui.notify(dirty);
    await settle();
    expect(shows().statuses[0]?.text).toBe('\u001b[31mred\u001b[0m link gone31m end');
    expect(shows().title).not.toContain('\u001b');
    expect(said[0]).toMatchObject({ text: expect.not.stringContaining('\u001b') });
  });
});

describe('EX16: notices', () => {
  const notices = () => said.flatMap((event) => (event.type === 'extension_notice' ? [event] : []));

  it('name their extension and their session', () => {
    desk.uiFor('s', ONE).notify('Done.', 'warning');
    desk.uiFor('s', ONE).notify('Odd level', 'shout' as 'info');
    expect(notices()).toEqual([
      { type: 'extension_notice', sessionId: 's', extension: ONE, level: 'warning', text: 'Done.' },
      { type: 'extension_notice', sessionId: 's', extension: ONE, level: 'info', text: 'Odd level' },
    ]);
  });

  it('of a million in a second a few are told, and the others are counted', async () => {
    const ui = desk.uiFor('s', ONE);
    for (let at = 0; at < 1_000_000; at++) ui.notify(`no. ${at}`);
    expect(notices()).toHaveLength(BOUNDS.noticesAtOnce);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(notices().at(-1)).toMatchObject({ more: 1_000_000 - BOUNDS.noticesAtOnce - 1 });
    // Another extension is heard meanwhile, and this one again once it has been quiet: first what it said last.
    desk.uiFor('s', TWO).notify('Hello');
    expect(notices().at(-1)).toMatchObject({ text: 'Hello' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(notices().at(-1)).toMatchObject({ text: 'no. 999999' });
    await vi.advanceTimersByTimeAsync(1_000);
    ui.notify('Again');
    expect(notices().at(-1)).toMatchObject({ text: 'Again' });
  });

  it('who goes on and on is told of once a second', async () => {
    const ui = desk.uiFor('s', ONE);
    for (let at = 0; at < 100; at++) {
      for (let times = 0; times < 50; times++) ui.notify('x');
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(2_000);
    expect(notices().length).toBeLessThanOrEqual(BOUNDS.noticesAtOnce + 12);
    expect(notices().reduce((sum, { more = 1 }) => sum + more, 0)).toBe(100 * 50);
  });

  it('what is held back is told when its extension ends, and what was left out before it came here is counted', () => {
    const ui = desk.uiFor('s', ONE);
    for (let at = 0; at < BOUNDS.noticesAtOnce; at++) ui.notify(`no. ${at}`);
    ui.noticesLeftOut(7);
    for (const odd of [-1, 0.5, Number.NaN, '9' as never]) ui.noticesLeftOut(odd);
    ui.notify('second to last');
    ui.notify('last');
    ui.end();
    expect(notices().slice(BOUNDS.noticesAtOnce)).toMatchObject([{ more: 8 }, { text: 'last' }]);
    ui.notify('after its end');
    expect(notices()).toHaveLength(BOUNDS.noticesAtOnce + 2);
  });

  it('EX17: each failure of an extension is said once, a few of them, until it is started anew', () => {
    const ui = desk.uiFor('s', ONE);
    ui.failed('It threw.');
    ui.failed('It threw.');
    expect(notices()).toEqual([
      { type: 'extension_notice', sessionId: 's', extension: ONE, level: 'error', text: 'It threw.', isFault: true },
    ]);
    for (let at = 0; at < 100; at++) ui.failed(`It threw for the ${at}th time.`);
    expect(notices()).toHaveLength(BOUNDS.failures);
    ui.end();
    desk.uiFor('s', ONE).failed('It threw.');
    expect(notices()).toHaveLength(BOUNDS.failures + 1);
  });
});

describe('EX16: the composer', () => {
  const texts = () => said.flatMap((event) => (event.type === 'extension_text' ? [event] : []));

  it('what it holds is known to the extensions of its session as the window tells it', () => {
    const ui = desk.uiFor('s', ONE);
    const heard: string[] = [];
    const stop = ui.onEditorText((text) => heard.push(text));
    desk.composerHolds('s', 'half a thought');
    desk.composerHolds('other', 'not here');
    stop();
    desk.composerHolds('s', 'a thought');
    expect([ui.getEditorText(), heard]).toEqual(['a thought', ['half a thought']]);
  });

  it('many wishes at once are one: the last text, and what is pasted behind it', async () => {
    const ui = desk.uiFor('s', ONE);
    for (let at = 0; at < 10_000; at++) ui.setEditorText(`draft ${at}`);
    ui.pasteToEditor(' and more');
    await settle();
    expect(texts()).toEqual([
      { type: 'extension_text', sessionId: 's', extension: ONE, text: 'draft 9999 and more', how: 'set' },
    ]);
    expect(ui.getEditorText()).toBe('draft 9999');
    ui.pasteToEditor('alone');
    await settle();
    expect(texts().at(-1)).toMatchObject({ text: 'alone', how: 'paste' });
  });
});
