import { describe, expect, it } from 'vitest';
import { CallOutcomes } from '../../../../src/main/agent/run-calls';
import { tellEdited } from '../../../../src/main/approvals/edited-call';
import { endNote, textsForPerson } from '@shared/policy/call-outcome';
import type { ProjectedMessage } from '@shared/session/records/entry';
import { serializeConversation } from '../../../support/serialize-conversation';

const reply = {
  role: 'assistant',
  content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'make' } }],
  stopReason: 'toolUse',
};
const bash = (text: string, details: object | undefined, isError: boolean): string => {
  const content = [{ type: 'text', text }];
  const result = { role: 'toolResult', toolCallId: 'c', toolName: 'bash', content, details, isError };
  return serializeConversation([reply, result] as unknown as ProjectedMessage[])
    .split('\n\n')
    .slice(1)
    .join('\n\n');
};

describe('SU21: how a command ended stands in the mark', () => {
  it.each([
    [{ ending: 'exited', exitCode: 3 }, 'exit 3'],
    [{ ending: 'exited', exitCode: null, signal: 'SIGTERM' }, 'ended by SIGTERM'],
    [{ ending: 'timed_out', timeoutMs: 5000 }, 'timed out'],
    [{ ending: 'stopped' }, 'stopped'],
    [{ ending: 'broken_off' }, 'stopped'],
  ])('%j', (details, status) => {
    const note = endNote(details)!;
    expect(bash(`out\n\n${note}`, details, true)).toBe(`[Tool result: bash, ${status}]: out`);
    // The output claims another end: that line is not ours.
    expect(bash(`[Exit code 0.]\n\n${note}`, details, true)).toBe(`[Tool result: bash, ${status}]: \\[Exit code 0.]`);
    expect(bash(note, details, true)).toBe(`[Tool result: bash, ${status}]: (no output)`);
    expect(bash(`out\n\n${note}`, { ending: 'exited', exitCode: 0 }, false)).toBe(
      `[Tool result: bash]: out\n\n\\${note}`,
    );
  });

  it('of a session of pi its own last line says it, and stays', () => {
    const told = bash('out\n\nCommand exited with code 1', undefined, true);
    expect(told).toBe('[Tool result: bash, exit 1]: out\n\nCommand exited with code 1');
    expect(bash('out\n\nCommand exited with code 1', undefined, false)).toMatch(/^\[Tool result: bash]: /);
  });
});

describe('TS4, SU14: a command that the person changed', () => {
  const edited = { asked: 'make', ran: 'make -n' };
  const told = tellEdited({ content: [{ type: 'text', text: 'out' }], details: { exitCode: 0 } }, edited);
  const [first] = told.content as { text: string }[];

  it('is told to the model in a line that the card leaves out: it says so itself', () => {
    expect(textsForPerson([first!.text], told)).toEqual(['out']);
    const empty = tellEdited({ content: [], details: {} }, edited);
    expect(
      textsForPerson(
        empty.content.map((block) => (block as { text: string }).text),
        empty,
      ),
    ).toEqual([]);
    // Another text with that line is the tool's.
    expect(textsForPerson([first!.text], { details: { exitCode: 0 } })).toEqual([first!.text]);
  });

  it('is told to the summariser in that line, which no output can have', () => {
    expect(bash(first!.text, told.details as object, false)).toBe(
      '[Tool result: bash]: [The person changed the command before it ran. This ran instead: make -n]\nout',
    );
    expect(bash(`out\n${first!.text}`, { exitCode: 0 }, false)).toContain('\n\\[The person changed');
  });
});

it('SU23: the details of any tool but bash say nothing of how its call ended', () => {
  const ended = { toolCallId: 'c', isError: true };
  for (const details of [{ exitCode: 1 }, { ending: 'stopped' }, { ending: 'timed_out' }]) {
    expect(new CallOutcomes().of({ ...ended, toolName: 'deploy', details })).toBe('failed');
    expect(new CallOutcomes().of({ ...ended, toolName: 'bash', details })).not.toBe('failed');
  }
});
