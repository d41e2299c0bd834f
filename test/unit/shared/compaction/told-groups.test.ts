import { describe, expect, it } from 'vitest';
import { tellEdited } from '../../../../src/main/approvals/edited-call';
import { Conversation, type SourceLine } from '../../../../src/main/compaction/conversation';
import { doneCalls } from '@shared/compaction/file-activity';
import { fitPrefix } from '@shared/compaction/request-body';
import { answeredCalls, fromFirstUnbegun, untoldCallsIn } from '@shared/compaction/call-results';
import { Teller } from '@shared/compaction/serialize';
import type { ProjectedMessage } from '@shared/session/records/entry';
import { NO_ANSWER } from '@shared/silence';
import { MAYBE_BEGAN, NEVER_BEGAN } from '@shared/policy/call-outcome';
import { estimateText } from '@shared/session/records/estimate';
import type { PlanItem } from '@shared/session/messages/plan-item';

const line = (id: string, message: object): string =>
  JSON.stringify({ type: 'message', id, parentId: null, timestamp: '2026-01-01T00:00:00.000Z', message });
const reply = line('a', {
  role: 'assistant',
  content: [{ type: 'toolCall', id: 'c', name: 'write', arguments: { path: 'x' } }],
});
const resultOf = (text: string, isError: boolean): string =>
  line('b', { role: 'toolResult', toolCallId: 'c', toolName: 'write', content: [{ type: 'text', text }], isError });
const part = (text: string, isGroupStart = false) => ({
  text,
  tokens: estimateText(text),
  isUser: false,
  isGroupStart,
});

describe('what is told of a silence', () => {
  const prompt = (text: string, timeMs: number, gap = 0): SourceLine => ({
    line: line(`p${timeMs}`, { role: 'user', content: [{ type: 'text', text }], timestamp: timeMs }),
    timeMs,
    ...(gap > 0 ? { gap } : {}),
  });
  const told = (...lines: SourceLine[]): string => {
    const conversation = new Conversation({ place: { root: '/w', home: '/home/me' } });
    conversation.add('history', lines);
    return conversation.texts(10_000).windows.join();
  };

  it('SU18: a prompt some time after another, with nothing between, says that no answer is there', () => {
    const note = `[Note: no answer]: ${NO_ANSWER}`;
    expect(told(prompt('one', 0), prompt('two', 60_000))).toBe(`[User]: one\n\n${note}\n\n[User]: two`);
    // Sent together, answered, or with messages left out between them.
    expect(told(prompt('one', 0), prompt('two', 1_000))).not.toContain('[Note');
    const answer = { line: line('r', { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] }), timeMs: 5 };
    expect(told(prompt('one', 0), answer, prompt('two', 60_000))).not.toContain('[Note');
    expect(told(prompt('one', 0), prompt('two', 60_000, 3))).not.toContain('[Note');
    // Picked out of what a summary tells.
    const apart = (text: string, timeMs: number): SourceLine => ({ ...prompt(text, timeMs), isApart: true });
    expect(told(apart('one', 0), apart('two', 60_000), prompt('three', 120_000))).not.toContain('[Note');
  });
});

describe('what is told of calls', () => {
  it('SU21: an outcome is that of the result as it was, whatever a view edit left of its words', () => {
    const conversation = new Conversation({ place: { root: '/w', home: '/home/me' } });
    conversation.add('history', [{ line: reply, timeMs: 0 }]);
    conversation.add('history', [
      {
        line: resultOf(NEVER_BEGAN, true),
        timeMs: 0,
        edit: { omitted: false, replacement: { content: 'Taken out.' } },
      },
    ]);
    const { windows, files } = conversation.texts(10_000);
    expect(windows.join()).toContain('[Tool result: write, not run: interrupted]: Taken out.');
    expect(files.written.size).toBe(0);
  });

  it('SU19: of a call that no line answers it is told what is known, and of which nothing is known that', () => {
    const told = (ends?: SourceLine['ends']): [string, number] => {
      const conversation = new Conversation({ place: { root: '/w', home: '/home/me' } });
      conversation.add('history', [{ line: reply, timeMs: 0, ...(ends ? { ends } : {}) }]);
      const { windows, files } = conversation.texts(10_000);
      return [windows.join().replace('[Assistant tool calls]: write(path="x")', '').trim(), files.written.size];
    };
    expect(told()).toEqual(['[result unknown]', 0]);
    expect(told({ unbegun: ['c'] })).toEqual(['[not run: interrupted]', 0]);
    expect(told({ results: [resultOf(NEVER_BEGAN, true)] })).toEqual(['[not run: interrupted]', 0]);
    expect(told({ results: [resultOf(MAYBE_BEGAN, true)] })).toEqual(['[interrupted, may have run]', 0]);
    expect(told({ results: [resultOf('Done.', false)], unbegun: ['c'] })).toEqual(['', 1]);
    expect(told({ ran: [['c', 'ls ['.repeat(400)]] })[0]).toMatch(
      /^\[result unknown, may have run as "ls \[ls .{900,1000}"\]$/,
    );
    expect(told({ late: ['c'] })).toEqual(['', 0]);
    // One of which the file has no entry any more counts as not known, as does one that is no result.
    for (const line of ['', '{"type":"message"', '{"type":"title"}', reply])
      expect(told({ results: [line] })).toEqual(['[result unknown]', 0]);
  });

  it('SU19, CX9: which calls none of some items answers, and whose results come after another reply', () => {
    const item = (facts: object): PlanItem =>
      ({ sourceId: '', kind: 'message', node: { facts } }) as unknown as PlanItem;
    const said = (...calls: string[]): PlanItem => item({ role: 'assistant', calls });
    const items = [
      said('a', 'b'),
      item({ answers: 'a' }),
      said('b', 'd'),
      item({ answers: 'b' }),
      said('a'),
      item({ answers: 'd' }),
    ];
    expect([...untoldCallsIn(items)]).toEqual([
      [0, { open: ['b'], late: [] }],
      [2, { open: [], late: ['d'] }],
      [4, { open: ['a'], late: [] }],
    ]);
    expect([...fromFirstUnbegun(['a', 'b', 'c'], 'b')]).toEqual(['b', 'c']);
    expect(fromFirstUnbegun(['a'], null).size).toBe(0);
  });

  it('SU21: a result whose sentence about the command that ran was taken away leaves it to its call', () => {
    const call = line('a', {
      role: 'assistant',
      content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'rm x' } }],
    });
    const { content, details } = tellEdited({ content: [], details: {} }, { asked: 'rm x', ran: 'ls' });
    const result = line('b', {
      role: 'toolResult',
      toolCallId: 'c',
      toolName: 'bash',
      content,
      details,
      isError: false,
    });
    const told = (edit?: SourceLine['edit']): string => {
      const conversation = new Conversation({ place: { root: '/w', home: '/home/me' } });
      conversation.add('history', [
        { line: call, timeMs: 0 },
        { line: result, timeMs: 0, ...(edit ? { edit } : {}) },
      ]);
      return conversation.texts(10_000).windows.join().split('\n')[0]!;
    };
    expect(told()).toBe('[Assistant tool calls]: bash(command="rm x")');
    expect(told({ omitted: false, replacement: { content: 'Short.' } })).toBe(
      '[Assistant tool calls]: bash(command="rm x") [ran as "ls"]',
    );
  });

  it('FA1: thousands of calls of one reply are paired in time that grows with them alone', () => {
    const calls = Array.from({ length: 100_000 }, (_, n) => `c${n}`);
    const item = (facts: object): PlanItem =>
      ({ sourceId: '', kind: 'message', node: { facts } }) as unknown as PlanItem;
    const items = [item({ calls }), ...calls.map((answers, n) => item({ answers, isError: n % 2 === 1 }))];
    expect(doneCalls(items).get(0)?.size).toBe(50_000);
  });

  it('FA1: so are calls that all have one id', () => {
    const count = 200_000;
    const block = { type: 'toolCall', id: 'c', name: 'read', arguments: {} };
    const reply = { role: 'assistant', content: Array.from({ length: count }, () => block), timestamp: 0 };
    const result = { role: 'toolResult', toolCallId: 'c', toolName: 'read', content: [], isError: false, timestamp: 0 };
    const results = Array.from({ length: count - 1 }, () => ({ ...result }));
    const calls = answeredCalls(reply as unknown as ProjectedMessage, results as unknown as ProjectedMessage[]);
    expect([calls[0]?.result, calls.at(-2)?.result, calls.at(-1)?.result]).toEqual([results[0], results.at(-1), null]);
    expect(calls[0]?.result).toBe(results[0]);
  });

  it('SU21: of a branch, whose results are not told, a command that ran and did not succeed says so', () => {
    const told = (details: object, text = 'x'): string => {
      const content = [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'npm test' } }];
      const result = { role: 'toolResult', toolCallId: 'c', toolName: 'bash', isError: true, details };
      const group = [
        { role: 'assistant', content },
        { ...result, content: [{ type: 'text', text }] },
      ];
      const [told] = new Teller().tell(group as unknown as ProjectedMessage[], { isAlone: true });
      return told?.pieces.join('\n\n') ?? '';
    };
    expect(told({ exitCode: 1, ending: 'exited' })).toContain('bash(command="npm test") [exit 1]');
    expect(told({ ending: 'timed_out' })).toContain('[timed out]');
    expect(told({ ending: 'stopped' })).toContain('[stopped]');
  });

  it('SU26: of a group that is too long each part keeps its own mark, and a group may have any number of them', () => {
    const told = fitPrefix(
      [
        part(`[Assistant]: ${'thinking aloud '.repeat(100)}`, true),
        part(`[Tool result: read]: ${'push without asking '.repeat(200)}`),
      ],
      500,
    );
    expect(told).toMatch(/^\[Assistant\]: [^]*\n\n\[Tool result: read\]: push/);
    expect(told.split('[Tool result: read]: ')[0]).not.toContain('push');
    const many = Array.from({ length: 200_000 }, () => part('[Tool result: read]: x'));
    const first = part('[Assistant]: x', true);
    expect(fitPrefix([part('y'.repeat(40_000), true), first, ...many], 2_000_000).length).toBeGreaterThan(1_000_000);
    expect(fitPrefix([part('y'.repeat(8_000_000), true), first, ...many], 1_500_000).length).toBeGreaterThan(1_000_000);
  });
});
