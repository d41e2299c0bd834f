import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, vi } from 'vitest';
import { isOpaque, type ToolResultMessage } from '@shared/session/records/entry';
import { parseRecord } from '@shared/session/records/records';
import {
  BROKEN_OFF,
  MAYBE_BEGAN,
  NEVER_BEGAN,
  STOPPED_BEFORE_ALLOWED,
  STOPPED_BEFORE_CALL,
  UNSEALED_REASON,
} from '@shared/policy/call-outcome';
import { DECLINED, DECLINED_IN_RESTRICTED, declinedBecause } from '../../../src/shared/policy/approval';
import { parseAnsi } from '../../../src/renderer/parts/ansi';
import {
  countChanges,
  diffOfArguments,
  headOf,
  isWholeInHead,
  viewTool,
} from '../../../src/renderer/features/transcript/tool-state';
import { parseDiff } from '../../../src/shared/policy/diff-lines';
import { estimateHeight } from '../../../src/renderer/features/transcript/use-items';
import { groupRows, lastChanges } from '../../../src/renderer/state/group-rows';
import { MarkdownEnvironmentProvider } from '../../../src/renderer/features/markdown/environment';
import { isBrief, jsonLines, partsOfMessage, shortName } from '../../../src/renderer/features/transcript/message-text';
import { RecordText, UnknownParts } from '../../../src/renderer/features/transcript/unknown-rows';
import { TooltipProvider } from '../../../src/renderer/ui';
import type { Row, RowKind } from '@shared/session-state/state';

let seq = 0;
const row = (kind: RowKind, id: string, callId?: string): Row => ({
  id,
  parentId: null,
  seq: seq++,
  kind,
  time: 0,
  tokens: 50,
  callId,
});

describe('RD16: rows become items', () => {
  it('a result goes to the nearest earlier reply, also when a call id repeats', () => {
    const items = groupRows([
      row('user', 'u'),
      row('assistant', 'a1'),
      row('toolResult', 'r1', 'call'),
      row('assistant', 'a2'),
      row('toolResult', 'r2', 'call'),
    ]);
    expect(items.map((item) => item.key)).toEqual(['u', 'a1', 'a2']);
    expect(items.map((item) => (item.kind === 'row' ? item.results.get('call')?.id : null))).toEqual([
      undefined,
      'r1',
      'r2',
    ]);
  });

  it('a result without a reply stays visible', () => {
    expect(groupRows([row('toolResult', 'r', 'call')])).toHaveLength(1);
    expect(groupRows([row('assistant', 'a'), row('toolResult', 'r1', 'c'), row('toolResult', 'r2', 'c')])).toHaveLength(
      2,
    );
  });

  it('neighbouring changes are one line, and the next reply says again who speaks', () => {
    const items = groupRows([
      row('assistant', 'a1'),
      row('thinkingChange', 't1'),
      row('thinkingChange', 't2'),
      row('modelChange', 'm'),
      row('assistant', 'a2'),
      row('assistant', 'a3'),
    ]);
    expect(items.map((item) => item.kind)).toEqual(['row', 'changes', 'row', 'row']);
    expect(items.map((item) => (item.kind === 'row' ? item.head : null))).toEqual([true, null, true, false]);
  });

  it('TS16: rows of which nothing is drawn are one item without a height, and the reply goes on after it', () => {
    const silent = Array.from({ length: 1_000 }, (_, n) => row('silent', `s${n}`));
    const items = groupRows([row('assistant', 'a1'), ...silent, row('assistant', 'a2'), row('modelChange', 'm')]);
    expect(items.map((item) => item.kind)).toEqual(['row', 'silent', 'row', 'changes']);
    expect(items[2]).toMatchObject({ head: false });
    expect(items[1]).toMatchObject({ key: 's999', rows: silent });
    expect(estimateHeight(items[1])).toBe(0);
  });

  it('TS16: a row with a label or versions begins another item, so that none of them draws many', () => {
    const silent = Array.from({ length: 1_000 }, (_, n) => row('silent', `s${n}`));
    const labels = Object.fromEntries(silent.map(({ id }) => [id, 'kept']));
    const all = groupRows([...silent, row('modelChange', 'm')], null, { ...labels, m: 'kept' });
    expect(all).toHaveLength(1_001);
    for (const item of all) expect(estimateHeight(item)).toBeGreaterThan(0);

    const forked = { ...row('thinkingChange', 't'), siblingCount: 2 };
    const some = groupRows([...silent.slice(0, 5), row('modelChange', 'm'), forked], null, { s2: 'kept' });
    expect(some.map((item) => 'rows' in item && [item.rows.length, item.top?.id])).toEqual([
      [2, undefined],
      [3, 's2'],
      [1, undefined],
      [1, 't'],
    ]);
    expect(some.map(estimateHeight)).toEqual([0, 20, 30, 50]);
  });

  it('TS16: a message that the person is not shown is one of them', () => {
    const hidden: Row[] = ['h1', 'h2'].map((id) => ({ ...row('custom', id), silent: true }));
    const items = groupRows([
      row('assistant', 'a1'),
      ...hidden,
      row('silent', 's'),
      row('assistant', 'a2'),
      row('custom', 'c'),
    ]);
    expect(items.map((item) => item.kind)).toEqual(['row', 'silent', 'row', 'row']);
    expect(items[1]).toMatchObject({ key: 's' });
    expect(items[2]).toMatchObject({ head: false });
  });

  it('of neighbouring changes the last of each kind are read', () => {
    const rows = [row('modelChange', 'm1'), row('thinkingChange', 't'), row('modelChange', 'm2')];
    expect(lastChanges(rows).map(({ id }) => id)).toEqual(['m2', 't']);
    expect(lastChanges(rows.slice(0, 1)).map(({ id }) => id)).toEqual(['m1']);
  });

  it('RD15: every height is positive and finite', () => {
    for (const kind of ['user', 'assistant', 'toolResult', 'compaction', 'bash', 'custom', 'unknown'] as const) {
      const [item] = groupRows([{ ...row(kind, 'x'), tokens: 1_000_000 }]);
      expect(estimateHeight(item)).toBeGreaterThan(0);
      expect(estimateHeight(item)).toBeLessThanOrEqual(4_000);
    }
  });
});

describe('RD14: terminal output', () => {
  const textsOf = (output: string): string =>
    parseAnsi(output)
      .map(({ text }) => text)
      .join('');

  it('keeps the colours', () => {
    expect(parseAnsi('\u001b[1;31mfail\u001b[0m ok \u001b[92mgreen\u001b[39m')).toEqual([
      { text: 'fail', colour: 'red', bold: true },
      { text: ' ok ', colour: null, bold: false },
      { text: 'green', colour: 'green', bold: false },
    ]);
  });

  it.each([
    ['\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007', 'link'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b[2J\u001b[Hclear', 'clear'],
    ['10%\r50%\r100%\ndone\r\n', '100%\ndone\n'],
    ['\u001b[38;5;196mred\u001b[38;2;1;2;3mrgb\u001b[m', 'redrgb'],
    ['cut \u001b[3', 'cut '],
    ['bell\u0007 back\u0008', 'bell back'],
    ['\u009b31mc1', 'c1'],
    ['\u001bPdevice\u001b\\x', 'x'],
  ])('%j', (raw, text) => expect(textsOf(raw)).toBe(text));
});

describe('TS2: diffs', () => {
  it('a unified diff without its headers, hunks parted', () => {
    const diff =
      '--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n\\ No newline at end of file\n@@ -9 +9 @@\n--- not a header\n';
    expect(parseDiff(diff)).toEqual([
      { kind: 'context', text: 'same' },
      { kind: 'removed', text: 'old' },
      { kind: 'added', text: 'new' },
      { kind: 'note', text: 'no newline at the end' },
      { kind: 'gap', text: 'line 9' },
      { kind: 'removed', text: '-- not a header' },
    ]);
    expect(countChanges(parseDiff(diff))).toEqual({ added: 1, removed: 2 });
    // What main says about the whole file is no header.
    expect(parseDiff(`Binary content of 5 bytes is replaced.\n${diff}`)[0]).toEqual({
      kind: 'note',
      text: 'Binary content of 5 bytes is replaced.',
    });
  });

  it('A2: a card reads the beginning of a long one, in whole lines, the shortest as well', () => {
    expect(headOf('a\nb')).toBe('a\nb');
    expect(headOf('\n'.repeat(200_000))).toHaveLength(10_000);
    expect(headOf('x'.repeat(300_000))).toHaveLength(200_000);
    expect(headOf(`${'x'.repeat(150_000)}\n`.repeat(2))).toHaveLength(150_001);
    expect(diffOfArguments('write', { content: '\n'.repeat(1_000_000) })).toHaveLength(10_000);
    const newlines = '\n'.repeat(200_000);
    expect(diffOfArguments('edit', { oldText: newlines, newText: newlines })).toHaveLength(20_000);
  });

  it('falls back on the arguments', () => {
    expect(diffOfArguments('edit', { oldText: 'a', newText: 'b\nc' })).toHaveLength(3);
    expect(
      diffOfArguments('edit', {
        edits: [
          { oldText: 'a', newText: 'b' },
          { oldText: 'c', newText: '' },
        ],
      }),
    ).toHaveLength(4);
    expect(diffOfArguments('write', { content: 'x\ny\n' })).toHaveLength(2);
    expect(diffOfArguments('edit', { path: 'x' })).toBeNull();
  });
});

describe('TS2: a call in words and figures', () => {
  const result = (over: Partial<ToolResultMessage>): ToolResultMessage => ({
    role: 'toolResult',
    toolCallId: 'c',
    toolName: 'bash',
    content: [{ type: 'text', text: 'out' }],
    isError: false,
    timestamp: 0,
    ...over,
  });
  const bash = { name: 'bash', arguments: { command: 'npm test' } };

  it.each([
    [null, 'running', { verb: 'run', target: 'npm test', status: 'running', note: null }],
    [
      result({ details: { exitCode: 0, durationMs: 6100 } }),
      'running',
      { verb: 'ran', status: 'ran', durationMs: 6100 },
    ],
    [result({ isError: true, details: { exitCode: 1 } }), 'running', { verb: 'run', note: 'exit 1' }],
    [
      result({ isError: true, details: { ending: 'timed_out', exitCode: null } }),
      'running',
      { verb: 'run', note: 'timed out' },
    ],
    [result({ isError: true }), 'running', { verb: 'run', note: 'failed' }],
    [null, 'queued', { verb: 'run', status: 'queued' }],
    [null, 'interrupted', { status: 'interrupted', output: null }],
  ] as const)('%#', (found, open, expected) => expect(viewTool(bash, found, open)).toMatchObject(expected));

  const said = (text: string): Partial<ToolResultMessage> => ({
    isError: true,
    content: [{ type: 'text', text }],
    details: {},
  });
  const write = { name: 'write', arguments: { path: 'a.txt', content: 'x' } };

  it.each([
    [bash, said(DECLINED), 'run', 'declined', 'declined by you'],
    [write, said(declinedBecause('no')), 'write', 'declined', 'declined by you'],
    [write, said('a.txt is a git hook.\nMore.'), 'write', 'failed', 'failed: is a git hook.'],
    [bash, said(STOPPED_BEFORE_ALLOWED), 'run', 'notRun', 'not run: stopped'],
    [write, said(STOPPED_BEFORE_CALL), 'write', 'notRun', 'not run: stopped'],
    [bash, said(UNSEALED_REASON), 'run', 'notRun', 'not run: reply cut off'],
    [bash, said(NEVER_BEGAN), 'run', 'notRun', 'not run: interrupted'],
    [bash, said(MAYBE_BEGAN), 'run', 'interrupted', null],
    // It did run, so it says so, whatever it printed.
    [bash, { ...said(DECLINED), details: { ending: 'exited', exitCode: 3 } }, 'run', 'ran', 'exit 3'],
    [bash, { ...said(''), details: { ending: 'stopped', exitCode: null } }, 'run', 'stopped', 'stopped'],
    [bash, said('x\n\nCommand exited with code 2'), 'run', 'ran', 'exit 2'],
    [bash, said('x\n\nCommand aborted'), 'run', 'stopped', 'stopped'],
    [bash, { ...said(DECLINED), isError: false }, 'ran', 'ran', null],
  ] as const)('TS4: the past tense is for what is done: %#', (call, over, verb, status, note) =>
    expect(viewTool(call, result(over as Partial<ToolResultMessage>), 'running')).toMatchObject({ verb, status, note }),
  );

  it('what the model is told of a "no" is not what the person reads', () => {
    const read = (text: string) => viewTool(bash, result(said(text)), 'running').output?.texts;
    expect(read(DECLINED)).toEqual(['You declined this.']);
    expect(read(`${DECLINED}\n${DECLINED_IN_RESTRICTED}`)).toEqual(['You declined this.']);
    expect(read(declinedBecause('No network.\nUse what is there.'))).toEqual([
      'You declined this: No network.\nUse what is there.',
    ]);
    // What a command printed stays as it is.
    expect(viewTool(bash, result({ ...said(DECLINED), isError: false }), 'running').output?.texts).toEqual([DECLINED]);
  });

  it('AG11: what the model is told of a call that may have run is not what the person reads', () => {
    expect(viewTool(bash, result(said(MAYBE_BEGAN)), 'running').output?.texts).toEqual([]);
    const other = { ...said('It broke off.'), details: { espalier: { outcome: 'interrupted' } } };
    expect(viewTool(bash, result(other), 'running')).toMatchObject({
      status: 'interrupted',
      output: { texts: ['It broke off.'] },
    });
  });

  it('C1: a head counts as the whole call only where each character of it stands there as itself', () => {
    const inHead = (command: string) =>
      isWholeInHead(viewTool({ name: 'bash', arguments: { command } }, null, 'running'));
    expect(inHead('npm test')).toBe(true);
    for (const command of [
      'a\u200bb',
      "echo 'a\tb'",
      'a ',
      ' ⏎ ',
      'a\nb',
      'a\r',
      'x'.repeat(41),
      '漢'.repeat(30),
      '\ufdfd',
    ])
      expect([command, inHead(command)]).toEqual([command, false]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (command) => {
        const view = viewTool({ name: 'bash', arguments: { command } }, null, 'running');
        expect(view.whole).toBe(command === '' ? 'a command' : command);
        if (isWholeInHead(view)) expect(view.target).toBe(view.whole);
      }),
    );
  });

  it('C1: of an edited command the whole call is what ran', () => {
    const edited = { espalier: { edited: { asked: 'echo a', ran: 'echo b' } } };
    expect(viewTool(bash, result({ details: edited }), 'running')).toMatchObject({ whole: 'echo b', edited: 'echo a' });
  });

  it.each([
    [{ ending: 'stopped', exitCode: null }, 'a\n\n[Stopped by the person.]', 'a', 'stopped'],
    [
      { ending: 'broken_off', exitCode: null },
      'a\n\n[Ended before it was done: the run broke off.]',
      'a',
      'stopped: ended with the run',
    ],
    [{ ending: 'timed_out' }, 'a\n\n[Ended after its time limit of 1.5 s.]', 'a', 'timed out'],
    [{ ending: 'exited', exitCode: 2 }, '(no output)\n\n[Exit code 2.]', '(no output)', 'exit 2'],
    [{ ending: 'exited', exitCode: null, signal: 'SIGKILL' }, 'a\n\n[Ended by SIGKILL.]', 'a', 'ended by SIGKILL'],
    // What the program printed itself stays.
    [{ ending: 'exited', exitCode: 2 }, 'a\n\n[Exit code 1.]', 'a\n\n[Exit code 1.]', 'exit 2'],
    [{}, 'a\n\n[Exit code 1.]', 'a\n\n[Exit code 1.]', 'failed'],
    [{ ending: 'exited', exitCode: null, signal: '\u202eX' }, 'a', 'a', 'failed'],
  ])('TS4: how a command ended is said once, and not in the words for the model: %j', (details, text, shown, note) => {
    const view = viewTool(bash, result({ ...said(text), details, isError: true }), 'running');
    expect([view.output?.texts, view.note]).toEqual([[shown], note]);
  });

  it('a call that an earlier answer allowed says so', () => {
    const ranBy = (standing: unknown) =>
      viewTool(bash, result({ details: { espalier: { standing } } }), 'running').allowed;
    expect(ranBy('session')).toBe('allowed this session');
    expect(ranBy('always')).toBe('allowed always here');
    for (const other of [undefined, 'constructor', 1]) expect(ranBy(other)).toBeNull();
  });

  it('a write that waits, was declined or runs shows no diff as if it were done', () => {
    for (const open of ['queued', 'waiting', 'running'] as const)
      expect(viewTool(write, null, open)).toMatchObject({ verb: 'write', diff: null, changes: null });
    expect(viewTool(write, result(said(DECLINED)), 'running').diff).toBeNull();
  });

  it.each([
    ['grep', { pattern: 'a', path: '.', glob: '*.ts', ignoreCase: true }],
    ['deploy', { target: 'production' }],
    ['ls', { path: ' . ' }],
    ['recall', { query: 'x', sessionId: 'other' }],
  ])('C1: what the head of a call does not say stands in the whole call: %s', (name, args) => {
    const view = viewTool({ name, arguments: args }, null, 'interrupted');
    expect(view.whole).toBe(`${name} ${JSON.stringify(args, null, 2)}`);
    expect(isWholeInHead(view)).toBe(false);
  });

  it('C1: a head that says all of a call is the whole of it', () => {
    const heads = [
      ['ls', { path: 'src' }],
      ['grep', { pattern: 'a', path: 'src' }],
      ['bash', { command: 'ls', timeout: 60 }],
      ['deploy', {}],
    ] as const;
    for (const [name, args] of heads)
      expect(isWholeInHead(viewTool({ name, arguments: args }, null, 'interrupted'))).toBe(true);
  });

  it('AG11: of a call that may have run, the sentence for the model is not drawn, with an edited command in it or without', () => {
    const edited = { asked: 'a', ran: 'b' };
    const of = (text: string, more: object) =>
      viewTool(
        bash,
        result({ ...said(text), isError: true, details: { espalier: { outcome: 'interrupted', ...more } } }),
        'interrupted',
      );
    const told = `${MAYBE_BEGAN}\n[The person changed the command. If it ran, it was this: b]`;
    expect([of(MAYBE_BEGAN, {}), of(told, { edited }), of(told, {})].map(({ output }) => output?.texts)).toEqual([
      [],
      [],
      [told],
    ]);
    expect(of(told, { edited })).toMatchObject({ target: 'b', edited: 'a' });
  });

  it('AG11: a call that never began says so before its result is stored, and shows no diff', () => {
    const shown = viewTool(write, null, 'notRun', { why: BROKEN_OFF });
    expect(shown).toMatchObject({
      verb: 'write',
      status: 'notRun',
      note: 'not run: interrupted',
      diff: null,
    });
  });

  it('a failed edit shows no diff: nothing was changed', () => {
    const edit = { name: 'edit', arguments: { path: 'a', oldText: 'x', newText: 'y' } };
    expect(viewTool(edit, result({ isError: true }), 'running').diff).toBeNull();
    expect(viewTool(edit, result({}), 'running').changes).toEqual({ added: 1, removed: 1 });
  });
});

describe('TS16, A2: parts of unknown types', () => {
  const blocks = Array.from({ length: 1_000 }, (_, n) => ({
    type: `kind ${n}`,
    toJSON: vi.fn(() => ({ n })),
  }));
  const environment = { openLink: () => undefined, copyText: () => Promise.resolve(true) };
  const draw = (parts: typeof blocks): string => {
    const rows = createElement(UnknownParts, { parts });
    const inPage = createElement(MarkdownEnvironmentProvider, { value: environment }, rows);
    return renderToStaticMarkup(createElement(TooltipProvider, { children: inPage }));
  };

  it('have a row each up to twenty, and no text is made before it is asked for', () => {
    const html = draw(blocks);
    expect(html.match(/Part of unknown type/g)).toHaveLength(20);
    expect(html).toContain('980 more of unknown types');
    expect(draw(blocks.slice(0, 20))).not.toContain('more of unknown');
    for (const { toJSON } of blocks) expect(toJSON).not.toHaveBeenCalled();
  });

  it('a long type is cut in the label, as it is seen, and whole in the text', () => {
    const labels = (type: string): string => draw([{ type, toJSON: vi.fn() }]).replace(/<[^>]*>/g, '');
    expect(labels('x'.repeat(60))).toContain(`“${'x'.repeat(60)}”`);
    expect(labels('x'.repeat(3_000_000))).toContain(`“${'x'.repeat(60)}…”`);
    expect(labels('\u200b'.repeat(61))).toContain(`“${'\\u{200b}'.repeat(7)}…”`);
    expect(labels(`${'x'.repeat(59)}\u{1f333}\u{1f333}`)).toContain(`“${'x'.repeat(59)}…”`);
    expect(labels('\u{1f333}'.repeat(30))).toContain(`“${'\u{1f333}'.repeat(30)}”`);
  });

  it('the beginning of a record ends with a whole character', () => {
    const html = renderToStaticMarkup(createElement(RecordText, { line: `${'x'.repeat(3_999)}\u{1f333}y` }));
    expect(html).toContain(`${'x'.repeat(3_999)}\n… 3 more characters`);
  });

  it('are copied in steps, between which the window is drawn', async () => {
    const parts = Array.from({ length: 100 }, (_, n) => ({ n, toJSON: vi.fn(() => 'x'.repeat(30_000)) }));
    const text = jsonLines(parts);
    const done = parts.filter(({ toJSON }) => toJSON.mock.calls.length > 0);
    expect(done).toHaveLength(10);
    expect(await text).toBe(
      Array<string>(100)
        .fill(`"${'x'.repeat(30_000)}"`)
        .join('\n'),
    );
  });

  it('the others of a reply stand together where the first of them is', () => {
    const text = { type: 'text', text: 'said' };
    const content = [...blocks.slice(0, 20), text, ...blocks.slice(20, 500), text, ...blocks.slice(500)];
    const parts = partsOfMessage({ content } as never);
    expect(parts.map(({ kind }) => kind)).toEqual([...Array<string>(20).fill('unknown'), 'text', 'unknown', 'text']);
    expect(parts[0]?.source).toBe(blocks[0]);
    expect(parts[21]?.more).toEqual(blocks.slice(20));
    expect(partsOfMessage({ content: blocks.slice(0, 20) } as never)).toHaveLength(20);
  });
});

describe('A2: names from outside', () => {
  it('are as they came, or as much of them as a line may cost', () => {
    expect(shortName('gpt-5 (preview)')).toBe('gpt-5 (preview)');
    expect(shortName('モデル')).toBe('モデル');
    expect(shortName('x'.repeat(100_000))).toBe(`${'x'.repeat(300)}…`);
    expect(shortName('aก'.repeat(100)).length).toBeLessThan(20);
    expect(isBrief('The server answered 500.')).toBe(true);
    expect(isBrief('aก'.repeat(100))).toBe(false);
  });
});

describe('arguments that are nested without end', () => {
  const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
  const whole = (levels: number): string =>
    viewTool({ name: 'read', arguments: { path: 'a', x: JSON.parse(nested(levels)) as unknown } }, null, 'writing')
      .whole;

  it('safety A3: a line of a journal with such a call is a record that nobody can use, not a call', () => {
    const message = `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"read","arguments":{"x":${nested(10_000)}}}]}`;
    const line = `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":${message}}`;
    const record = parseRecord(line);
    expect(record.kind === 'entry' && isOpaque(record.entry)).toBe(true);
  });

  it('safety C1: and its card would be drawn with as much as can be said of it', () => {
    expect(whole(100)).toContain('[\n');
    expect(whole(10_000)).toBe('read (arguments nested more than 200 levels deep)');
  });
});
