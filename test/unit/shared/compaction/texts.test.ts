import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absolutePath,
  addGroupFiles,
  addStoredFiles,
  fileListsOf,
  fileTags,
  newestFirst,
  noFileOps,
} from '@shared/compaction/file-activity';
import { fitText, summaryBody } from '@shared/compaction/request-body';
import { cutText } from '@shared/compaction/serialize';
import { serializeConversation } from '../../../support/serialize-conversation';
import { DECLINED } from '@shared/policy/approval';
import { UNSEALED_REASON } from '@shared/policy/call-outcome';
import { escapeMarks, escapeSectionTags, stripTagBlocks } from '@shared/session/records/own-marks';
import { changedLines, withPathsOnce } from '@shared/compaction/told-calls';
import type { ProjectedMessage } from '@shared/session/records/entry';

const call = (name: string, args: Record<string, unknown>) => ({ type: 'toolCall', id: 'c', name, arguments: args });
const assistant = (...content: unknown[]): ProjectedMessage => ({ role: 'assistant', content, timestamp: 0 });

const said = (text: string): ProjectedMessage => ({ role: 'user', content: text, timestamp: 0 });
const result = (text: string, more: Record<string, unknown> = {}): ProjectedMessage =>
  ({ role: 'toolResult', toolCallId: 'c', toolName: 'read', content: [{ type: 'text', text }], isError: false, timestamp: 0, ...more }) as ProjectedMessage; // prettier-ignore

describe('SU15 to SU24: messages as text', () => {
  it('says who spoke, what was called, what came back; images by kind and size', () => {
    const data = 'A'.repeat(4096);
    const text = serializeConversation([
      { role: 'user', content: [{ type: 'text', text: 'one ' }, { type: 'text', text: 'two' }, { type: 'image', data, mimeType: 'image/png' }], timestamp: 0 },
      assistant({ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'a' }, { type: 'text', text: 'b' }, call('read', { path: 'x.ts', offset: 2 })),
      result('body'),
      said(''),
      { role: 'bashExecution', command: 'secret', output: 's', excludeFromContext: true, timestamp: 0 },
      { role: 'bashExecution', command: 'false', output: '', exitCode: 1, timestamp: 0 },
      { role: 'compactionSummary', summary: '## Goal\nShip\n\n<read-files>\na\n</read-files>', tokensBefore: 1, timestamp: 0 },
      { role: 'custom', customType: 'git hook', content: 'pushed', timestamp: 0 },
      { role: 'developer', content: 'be brief', timestamp: 0 },
    ] as ProjectedMessage[]); // prettier-ignore
    expect(text.split('\n\n')).toEqual([
      '[User]: one two\n[image: image/png, 3 KB]',
      '[Assistant]: a\nb',
      '[Assistant tool calls]: read(path="x.ts", offset=2)',
      '[Tool result: read]: body',
      '[User]: Ran `false`',
      '[Tool result: bash, run by the person]: (no output)\n(exit code 1)',
      '[Summary of earlier work]: ## Goal\nShip',
      '[Note: git_hook]: pushed',
      '[Note: developer]: be brief',
    ]);
    expect(serializeConversation([assistant({ type: 'thinking', thinking: 'hm' })], { includeThinking: true })).toBe(
      '[Assistant thinking]: hm',
    );
  });

  it('SU19, SU21: several calls are numbered as their results are; what did not run says so, and why', () => {
    const two = { ...assistant(call('read', {}), { ...call('write', { path: 'b' }), id: 'd' }), stopReason: 'toolUse' };
    const parts = serializeConversation([
      two,
      // A person's command between a call and its result belongs to neither.
      { role: 'bashExecution', command: 'ls', output: 'x', timestamp: 0 },
      result(DECLINED, { toolCallId: 'd', isError: true, toolName: 'other' }),
      result('gone', { isError: true }),
    ] as ProjectedMessage[]).split('\n\n');
    expect(parts).toEqual([
      '[Assistant tool calls]: 1. read(); 2. write(path="b")',
      '[User]: Ran `ls`',
      '[Tool result: bash, run by the person]: x',
      `[Tool result 2: write, declined by the person]: ${DECLINED}`,
      '[Tool result 1: read, failed]: gone',
    ]);
    const cutOff = { ...assistant({ type: 'text', text: 'I wi' }, call('edit', {})), stopReason: 'aborted' };
    expect(serializeConversation([cutOff as ProjectedMessage, said('Go on')]).split('\n\n')).toEqual([
      '[Assistant, cut off]: I wi',
      '[Assistant tool calls]: edit() [not run: reply cut off]',
      '[User]: Go on',
    ]);
    // Nothing is claimed of a call of whose result nothing is known.
    expect(serializeConversation([two as ProjectedMessage])).toMatch(/2\. write\(path="b"\) \[result unknown\]$/);
    expect(serializeConversation([{ role: 'fileMention', files: [{ path: 'a', content: 'push' }] }])).toBe(
      '[Tool result: read, named by the person]: a\npush',
    );
    expect(serializeConversation([result(UNSEALED_REASON, { isError: true })])).toContain(
      '[Tool result: read, not run: reply cut off]: ',
    );
  });

  it('SU20: long strings of arguments keep their ends, at any depth; of what was not done less stays', () => {
    const long = `${'a'.repeat(600)}${'b'.repeat(500)}${'c'.repeat(300)}`;
    const args = { path: 'x', content: long, list: [{ oldText: long, newText: 'y'.repeat(1000) }] };
    const text = serializeConversation([assistant(call('write', args)), result('ok')]);
    const kept = `${'a'.repeat(600)}[... 500 characters ...]${'c'.repeat(300)}`;
    const less = `${'a'.repeat(200)}[... 1100 characters ...]${'c'.repeat(100)}`;
    expect(text).toContain(`content="${kept}"`);
    expect(text).toContain(`list=[{"oldText":"${less}","newText":"${'y'.repeat(1000)}"}]`);
    const failed = serializeConversation([assistant(call('write', args)), result('no', { isError: true })]);
    expect(failed).toContain(`content="${less}"`);
  });

  const told = (name: string, args: Record<string, unknown>, more: Record<string, unknown> = {}): string =>
    serializeConversation([assistant(call(name, args)), result('Edited x.', { toolName: name, ...more })]);

  it('SU20, SU21: an edit is its changed lines, and one that was made has no result', () => {
    const edits = [
      { oldText: 'a\nb\nc\nd', newText: 'a\nB\nc\nd\ne' },
      { oldText: 'gone\n', newText: '' },
    ];
    const lines = '-b\n+B\n@@\n+e\n@@\n-gone';
    expect(told('edit', { path: 'x', edits })).toBe(`[Assistant tool calls]: edit(path="x")\n${lines}`);
    expect(told('edit', { path: 'x', all: true, oldString: 'a', newString: 'b' })).toBe(
      '[Assistant tool calls]: edit(path="x", all=true)\n-a\n+b',
    );
    // One that failed says so, and so does one that says more than that it was made.
    expect(told('edit', { path: 'x', edits }, { isError: true })).toBe(
      `[Assistant tool calls]: edit(path="x")\n${lines}\n\n[Tool result: edit, failed]: Edited x.`,
    );
    const diagnosis = serializeConversation([
      assistant(call('edit', { path: 'x', edits })),
      result('Edited x.\nline 3: no such name', { toolName: 'edit' }),
    ]);
    expect(diagnosis).toContain('[Tool result: edit]: Edited x.\nline 3: no such name');
    // What replaces no text, or changes none, stands as it was given.
    expect(told('edit', { path: 'x', edits: 'all of it' })).toBe(
      '[Assistant tool calls]: edit(path="x", edits="all of it")',
    );
    expect(told('edit', { oldText: 'a', newText: 'a' })).toBe('[Assistant tool calls]: edit(oldText="a", newText="a")');
    const cut = {
      ...assistant(call('edit', { path: 'x', edits }), { ...call('read', { path: 'y' }), id: 'd' }),
      stopReason: 'aborted',
    } as ProjectedMessage;
    expect(serializeConversation([cut])).toBe(
      `[Assistant tool calls]: 1. edit(path="x") [not run: reply cut off]\n${lines}\n2. read(path="y") [not run: reply cut off]`,
    );
  });

  it('SU20: of a line in the place of one, what both begin or end with stands once; a long change keeps whole lines of its ends', () => {
    const [begin, end] = ['b'.repeat(40), 'e'.repeat(40)];
    expect(told('edit', { oldText: `${begin}old${end}`, newText: `${begin}new${end}` })).toContain(
      `\n-${begin}old${end}\n+[... same beginning ...]new[... same end ...]`,
    );
    const lines = Array.from({ length: 9 }, (_, n) => `${begin}${n}${end}`);
    const pairs = lines.map((oldText) => ({ oldText, newText: oldText.replace('e', 'f') }));
    // Where lines go missing none refers to another.
    expect(told('edit', { path: 'x', edits: pairs })).not.toContain('same beginning');
    const many = Array.from({ length: 200 }, (_, n) => `line ${n}`).join('\n');
    const text = told('edit', { path: 'x', oldText: '', newText: many });
    expect(text).toMatch(
      /\+line 0\n[^]*\n\+line \d+\n\[\.\.\. \d+ characters of changed lines, here and below \.\.\.\]\n\+line \d+\n[^]*\+line 199$/,
    );
    // What was written is of more use than what it replaced.
    const both = told('edit', { path: 'x', oldText: many, newText: many.replaceAll('line', 'text') });
    const count = (sign: string): number => both.split('\n').filter((one) => one.startsWith(sign)).length;
    expect(count('+')).toBeGreaterThan(2 * count('-'));
    expect(told('edit', { path: 'x', oldText: '', newText: 'y'.repeat(5000) })).toMatch(
      /\n\+y{449}\n\[\.\.\. 4551 characters of changed lines, here and below \.\.\.\]$/,
    );
    expect(text.length).toBeLessThan(1050);
  });

  it('SU20: whatever changes, what is told of it gives the new text back, in time that grows with it', () => {
    const line = fc.constantFrom('a', 'b', 'c', '');
    const textOf = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(textOf, textOf, (before, after) => {
        const now = after.split('\n');
        const old = before.split('\n');
        const blocks = changedLines(before, after).map((block) => block.split('\n'));
        // Applied in order, each block at the next place where its lines stand.
        const removed = blocks.flat().filter((one) => one.startsWith('-')).length;
        const added = blocks.flat().filter((one) => one.startsWith('+')).length;
        expect(old.length - removed + added).toBe(now.length);
        expect(added === 0 && removed === 0).toBe(before === after);
        const stays = now.slice();
        for (const one of blocks.flat().filter((each) => each.startsWith('+'))) {
          const at = stays.indexOf(one.slice(1));
          expect(at).toBeGreaterThanOrEqual(0);
          stays.splice(at, 1);
        }
      }),
    );
    const large = Array.from({ length: 20_000 }, (_, n) => `${n}`);
    const changed = changedLines(large.join('\n'), ['first', ...large.slice(0, -1), 'last'].join('\n'));
    expect(changed.length).toBeGreaterThan(0);
  });

  it('SU22: lines of one file that a search printed stand under one path; a read that gives the same again is named', () => {
    const printed =
      'src/a.ts:1: one\nsrc/a.ts-2- \nsrc/a.ts-3- three\nsrc/b.ts:9: alone\nnot: a path\nx.md: p\nx.md: q\nt.ts(1,2): error\nt.ts(3,4): error';
    expect(serializeConversation([result(printed, { toolName: 'bash' })])).toBe(
      '[Tool result: bash]: src/a.ts:\n 1: one\n 3- three\nsrc/b.ts:9: alone\nnot: a path\nx.md:\n : p\n : q\nt.ts:\n (1,2): error\n (3,4): error',
    );
    expect(serializeConversation([result(printed)])).toBe(`[Tool result: read]: ${printed}`);
    const text = 'x'.repeat(150);
    const read = (path: string, words = text) => [assistant(call('read', { path })), result(words)];
    const again = '[Tool result: read]: [... the same 150 characters as when it was called before ...]';
    const parts = serializeConversation([
      ...read('a'),
      ...read('b'),
      ...read('a'),
      ...read('a', `${text}y`),
      ...read('a'),
    ]).split('\n\n');
    expect(parts.filter((_, at) => at % 2 === 1)).toEqual([
      `[Tool result: read]: ${text}`,
      `[Tool result: read]: ${text}`,
      again,
      `[Tool result: read]: ${text}y`,
      `[Tool result: read]: ${text}`,
    ]);
  });

  it('SU21, CX9: results in another order than their calls, and after another reply, keep number and name', () => {
    const ids = ['one', 'two', 'three'].map((path, at) => ({
      ...call(at === 1 ? 'grep' : 'read', { path }),
      id: `c${at}`,
    }));
    const answer = (at: number) => result(`of ${at}`, { toolCallId: `c${at}`, toolName: 'other' });
    const inOrder = serializeConversation([assistant(...ids), answer(2), answer(0), answer(1)]).split('\n\n');
    expect(inOrder.slice(1)).toEqual([
      '[Tool result 3: read]: of 2',
      '[Tool result 1: read]: of 0',
      '[Tool result 2: grep]: of 1',
    ]);
    const late = serializeConversation([
      assistant(...ids),
      answer(0),
      assistant({ type: 'text', text: 'On.' }),
      answer(2),
      answer(1),
      answer(1),
    ]).split('\n\n');
    expect(late.slice(1)).toEqual([
      '[Tool result 1: read]: of 0',
      '[Assistant]: On.',
      '[Tool result 3: read]: of 2',
      '[Tool result 2: grep]: of 1',
      '[Tool result: other]: of 1',
    ]);
  });

  it('SU22: tool output above 2000 characters keeps its head and its tail, a file above 800; other text stays whole', () => {
    const long = `${'x'.repeat(1200)}${'y'.repeat(500)}${'z'.repeat(800)}`;
    expect(serializeConversation([result(long, { toolName: 'bash' })])).toBe(
      `[Tool result: bash]: ${'x'.repeat(1200)}\n\n[... 500 more characters truncated ...]\n\n${'z'.repeat(800)}`,
    );
    expect(serializeConversation([result(long)])).toBe(
      `[Tool result: read]: ${'x'.repeat(480)}\n\n[... 1700 more characters truncated ...]\n\n${'z'.repeat(320)}`,
    );
    expect(serializeConversation([said(long)])).toBe(`[User]: ${long}`);
  });

  it('never cuts a surrogate pair, and the rest it names is the rest', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 160 }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
        fc.pre(!text.includes('['));
        const cut = cutText(text, limit);
        if (text.length <= limit + 60) {
          expect(cut).toBe(text);
          return;
        }
        const [, head = '', missing, tail = ''] =
          /^(?:([\s\S]*)\n\n)?\[\.\.\. (\d+) more characters truncated \.\.\.\](?:\n\n([\s\S]*))?$/.exec(cut) ?? [];
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(head.length + tail.length + Number(missing)).toBe(text.length);
        expect(() => encodeURIComponent(head + tail)).not.toThrow();
      }),
    );
  });
});

describe('SU14: no line can pose as one of ours', () => {
  const marks = ['[User]: ', '[ASSISTANT]: ', '[Assistant, cut off]: ', '[Assistant tool calls]: ', '[Tool result 2: write, failed]: ', '[Summary of earlier work]: ', '[Note: x]: ', '[not run: reply cut off]', '[image: image/png, 3 KB]', '[... 5 characters ...]', '[... 5 more characters truncated ...]', '[... 5 characters of changed lines, here and below ...]', '[... same end ...]', '[... the same 5 characters as when it was called before ...]']; // prettier-ignore
  const breaks = ['\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f', '\n\n'];
  const unseen = ['', ' ', '\t', '\u200b', '\u00a0', '\u2066', '\ufeff', '\u3164', '\ufe0f', '\u034f', '\u2800', '\0', '\u001b', '\u001c', '\u00ad']; // prettier-ignore
  const word = fc.oneof(
    fc
      .tuple(fc.constantFrom(...breaks, ''), fc.constantFrom(...unseen), fc.constantFrom(...marks))
      .map(
        ([line, blank, mark]) => `${line}${blank}${blank}${mark.replace('[', `[${blank}`).replace('U', `U${blank}`)}`,
      ),
    fc.string({ maxLength: 5 }),
    fc.constant('x'.repeat(1500)),
  );
  const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(''));
  /** Lines that a reader would take for ours, whatever it takes for a line break or does not see. */
  const OURS = /^\[(?=user|assistant|tool|summary|note|notrun|image|\.\.\.)/i;
  const HIDDEN = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
  const count = (whole: string): number =>
    whole.split(/[\n\v\f\r\u0085\u2028\u2029]/).filter((line) => OURS.test(line.replace(HIDDEN, ''))).length;

  it('whoever wrote it: person, model, tool, summary, extension, a name or a key', () => {
    fc.assert(
      fc.property(text, text, text, text, (a, b, c, d) => {
        const found = `x.ts:1: ${a}\nx.ts:2: ${b}\ny.ts: ${c}\ny.ts: ${d}\ny.ts:${a}`;
        const messages = [
          said(`a${a}`),
          assistant({ type: 'text', text: `b${b}` }, call(`t${a}`, { [`k${b}`]: c, list: [{ oldText: d }] })),
          result(`c${c}`, { toolName: d }),
          assistant(
            call('edit', {
              path: b,
              edits: [
                { oldText: a, newText: `${b}\n${c}` },
                { oldText: `${d}x`, newText: d },
              ],
            }),
            { ...call('edit', { oldText: c, newText: `${c}\n${a}` }), id: 'e' },
          ),
          result('Edited.', { toolName: 'edit', toolCallId: 'e' }),
          result(`x.ts:1: ${a}\nx.ts:2: ${b}\ny.ts: ${c}\ny.ts: ${d}\ny.ts:${a}`, {
            toolName: 'grep',
            toolCallId: 'late',
          }),
          { role: 'bashExecution', command: a, output: `o${d}`, timestamp: 0 },
          { role: 'compactionSummary', summary: `s${b}`, tokensBefore: 1, timestamp: 0 },
          { role: 'custom', customType: c, content: `n${a}`, timestamp: 0 },
        ] as ProjectedMessage[];
        const whole = serializeConversation(messages, { toolResultChars: 400 });
        // One for each message, the calls and what a command printed, and where an output or a change was cut its note.
        const notes = whole.match(/\n\n\[\.\.\. \d+ more characters truncated \.\.\.\]/g)?.length ?? 0;
        const outputs = [`c${c}`.trimEnd(), withPathsOnce(`o${d}`), withPathsOnce(found.trimEnd())];
        const isCut = outputs.filter((output) => output.length > 460).length;
        const changes = [
          [...changedLines(a, `${b}\n${c}`), ...changedLines(`${d}x`, d)],
          changedLines(c, `${c}\n${a}`),
        ];
        const isLong = changes.filter((blocks) => blocks.join('\n@@\n').length > 1000).length;
        const noted = whole.match(/\n\[\.\.\. \d+ characters of changed lines, here and below \.\.\.\]/g)?.length ?? 0;
        expect(noted).toBeLessThanOrEqual(isLong);
        expect(count(whole)).toBe(10 + isCut + noted);
        expect(notes).toBe(isCut);
      }),
      { numRuns: 1000 },
    );
  });

  it('nor within a changed line', () => {
    const edit = call('edit', {
      oldText: 'x',
      newText: 'y[... same end ...]\n[.\u200b.. 5 characters of changed lines ...]',
    });
    expect(serializeConversation([assistant(edit)])).toBe(
      '[Assistant tool calls]: edit() [result unknown]\n-x\n+y\\[... same end ...]\n+\\[.\u200b.. 5 characters of changed lines ...]',
    );
  });

  it('nor in what else goes into a request, nor where a text is cut to fit', () => {
    fc.assert(
      fc.property(
        text,
        text,
        text,
        fc.integer({ min: 20, max: 200 }),
        (previousSummary, line, instructions, budget) => {
          const conversation = fitText(`[User]: a${escapeMarks(`a${previousSummary}`)}`, budget);
          const body = summaryBody({ conversation, previousSummary, additionalContext: [line], prompt: 'Write.', instructions }); // prettier-ignore
          const ours = 1 + (conversation.includes('characters left out]\n\n') ? 1 : 0);
          expect(count(body)).toBe(ours);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('in time that grows with the text alone', () => {
    for (const piece of [' ', '\n', '\u200b', '\ufeff', '\u001c', '[', '\n[', ' [user', '[u\ufeff', '[u\ufeffs'])
      for (const text of [piece.repeat(300_000), `\n[${piece.repeat(300_000)}`, `\n${piece.repeat(300_000)}x [a]`])
        expect(escapeMarks(text).length).toBeGreaterThan(299_999);
    for (const piece of ['<', '</', '< ', '<\ufeff', '<s\ufeff', '\ufeff'])
      expect(escapeSectionTags(`<${piece.repeat(300_000)}`).length).toBeGreaterThan(299_999);
  });
});

describe('FA1 to FA5: file activity', () => {
  it('FA1, SF8: takes read, write and edit with a path that ran and did not fail; what was modified is not also read', () => {
    const ops = noFileOps(null);
    const calls = [call('read', { path: 'a' }), call('read', { path: 'b' }), call('edit', { path: 'b' }), call('write', { path: 'C' }), call('read', { path: '' }), call('bash', { path: 'no' }), call('read', { path: 7 }), call('edit', {}), call('write', { path: 'failed' }), call('write', { path: 'declined' }), call('edit', { path: 'stopped' })]; // prettier-ignore
    const numbered = calls.map((one, at) => ({ ...one, id: `c${at}` }));
    const results = numbered.map(({ id }, at) =>
      at === 10 ? result('Stopped.', { toolCallId: id, isError: true, details: { ending: 'stopped' } })
      : at === 8 ? result('no such folder', { toolCallId: id, isError: true })
      : at === 9 ? result(DECLINED, { toolCallId: id, isError: true })
      : result('ok', { toolCallId: id })); // prettier-ignore
    addGroupFiles(ops, [assistant(...numbered), ...results]);
    addStoredFiles(ops, { details: { readFiles: ['z', 'C', 1], modifiedFiles: ['m'] } });
    addStoredFiles(ops, { details: { readFiles: ['of an extension'], modifiedFiles: [] }, fromHook: true });
    addStoredFiles(ops, { details: { readFiles: ['of an extension'] }, fromExtension: true });
    addStoredFiles(ops, { details: 'anything' });
    expect(fileListsOf(ops)).toEqual({ readFiles: ['a', 'z'], modifiedFiles: ['C', 'b', 'm'] });
  });

  it('FA1: of calls with one id each counts by its own result; one without a result does not', () => {
    const ops = noFileOps(null);
    const twice = [call('write', { path: 'failed' }), call('write', { path: 'done' })];
    addGroupFiles(ops, [assistant(...twice), result('no', { isError: true }), result('ok')]);
    addGroupFiles(ops, [
      { ...assistant(call('write', { path: 'cut off' })), stopReason: 'aborted' } as ProjectedMessage,
    ]);
    addGroupFiles(ops, [assistant(call('write', { path: 'result taken away' }))]);
    expect(fileListsOf(ops).modifiedFiles).toEqual(['done']);
  });

  it('FA4: a file is one path, however it was spelled: absolute, with nothing to go up or round', () => {
    const place = { root: '/home/me/app', home: '/home/me' };
    const spellings = [
      'src/a.ts',
      './src/a.ts',
      '/home/me/app/src/a.ts',
      'src//a.ts',
      'lib/../src/./a.ts',
      '~/app/src/a.ts',
    ];
    for (const path of spellings) expect(absolutePath(path, place)).toBe('/home/me/app/src/a.ts');
    expect(absolutePath('../../../../etc/x', place)).toBe('/etc/x');
    expect(absolutePath('C:\\src\\a.ts', place)).toBe('C:\\src\\a.ts');
    expect(absolutePath('./a/../b', { ...place, root: '' })).toBe('b');
    const ops = noFileOps(place);
    for (const path of spellings) addGroupFiles(ops, [assistant(call('edit', { path })), result('ok')]);
    addStoredFiles(ops, { details: { readFiles: ['src/a.ts'], modifiedFiles: [] } });
    expect(fileListsOf(ops)).toEqual({ readFiles: [], modifiedFiles: ['/home/me/app/src/a.ts'] });
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '.', '/', '~', ' ') }), (path) => {
        const once = absolutePath(path, place);
        expect(once).toMatch(/^\//);
        expect(once).not.toMatch(/\/\/|(^|\/)\.\.?(\/|$)/);
        expect(absolutePath(once, place)).toBe(once);
      }),
    );
  });

  it('FA4: files of this region come first, newest first, then carried ones as the tags before named them', () => {
    const ops = noFileOps({ root: '/w', home: '/h' });
    const lists = { readFiles: ['/w/m', '/w/n'], modifiedFiles: ['/w/x', '/w/y', '/w/z'] };
    const summary = `S${fileTags(lists, 20, ['/w/y', '/w/x', '/w/n', '/w/m'])}`;
    for (const [name, path] of [
      ['edit', 'a'],
      ['edit', 'b'],
      ['read', 'r'],
      ['edit', './a'],
      ['edit', 'z'],
    ] as const)
      // prettier-ignore
      addGroupFiles(ops, [assistant(call(name, { path })), result('ok')]);
    addStoredFiles(ops, { summary, details: lists });
    const tags = fileTags(fileListsOf(ops), 20, newestFirst(ops));
    expect(tags).toBe(
      '\n\n<read-files>\n/w/r\n/w/n\n/w/m\n</read-files>' +
        '\n\n<modified-files>\n/w/z\n/w/a\n/w/b\n/w/y\n/w/x\n</modified-files>',
    );
    expect(fileListsOf(ops).modifiedFiles).toEqual(['/w/a', '/w/b', '/w/x', '/w/y', '/w/z']);
  });

  it('names twenty files of each kind and counts the rest; no tags without files', () => {
    const readFiles = Array.from({ length: 22 }, (_, n) => `r${n}`);
    const tags = fileTags({ readFiles, modifiedFiles: ['m'] }, 20);
    expect(tags.split('\n')).toHaveLength(2 + 23 + 1 + 3);
    expect(tags).toContain('r19\n… (2 more files omitted)\n</read-files>\n\n<modified-files>\nm\n</modified-files>');
    expect(fileTags({ readFiles: [], modifiedFiles: [] }, 20)).toBe('');
    expect(fileTags({ readFiles: ['a\n</read-files>'], modifiedFiles: [] }, 20).split('\n')).toHaveLength(5);
  });
});

describe('SU13: our blocks behind a summary', () => {
  it('come off again, those of others too, wherever they stand', () => {
    const tags = fileTags({ readFiles: ['a'], modifiedFiles: ['b'] }, 20);
    expect(stripTagBlocks(`## Goal\nShip it.${tags}\n\n<exact-facts>\n1\n</exact-facts>`)).toBe('## Goal\nShip it.');
    expect(stripTagBlocks('<files>\nold\n</files>\n\nText')).toBe('Text');
  });

  it('a block that is never closed is text, and so is a tag inside a line', () => {
    expect(stripTagBlocks('A\n<read-files>\nb')).toBe('A\n<read-files>\nb');
    expect(stripTagBlocks('use `<read-files>` and </read-files>')).toBe('use `<read-files>` and </read-files>');
  });

  it('however often it is done: nothing adds up', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z/.]{1,12}$/), { maxLength: 30 }), fc.lorem(), (paths, words) => {
        const tags = fileTags({ readFiles: paths, modifiedFiles: paths }, 20);
        expect(stripTagBlocks(stripTagBlocks(words + tags) + tags)).toBe(words);
      }),
    );
  });
});
