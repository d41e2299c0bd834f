import { describe, expect, it } from 'vitest';
import { doneCalls } from '@shared/compaction/file-activity';
import { belowReply } from '@shared/session/messages/below-reply';
import { planContext } from '@shared/session/context/context-plan';
import { editedDraft } from '@shared/session/tree/drafts';
import { planFork } from '@shared/session/tree/fork';
import { custom, HEADER, reply, result, seededHex, user, Writer } from './support';

/** A question, and a reply with two calls. */
function asked(): Writer {
  const writer = new Writer();
  writer.add(user('Go'), 'q');
  writer.add(reply('', { calls: ['one', 'two'] }), 'r');
  return writer;
}

describe('what became of the calls of a reply', () => {
  it('CX10: of several results of a call the oldest counts, on whichever branch it stands', () => {
    const writer = asked();
    writer.add(custom('note', {}), 'n', 'r');
    writer.add(result('one', 'first'), 'old', 'n');
    writer.add(result('one', 'again'), 'new', 'r');
    writer.add(result('two', 'first'), 'old2', 'r');
    writer.add(result('two', 'again'), 'new2', 'old');
    const { answers } = belowReply(writer.tree.node('r')!);
    expect([...answers].map(([id, node]) => [id, node.id]).sort()).toEqual([
      ['one', 'old'],
      ['two', 'old2'],
    ]);
  });

  it('FA1: a call counts by its result alone, wherever that stands', () => {
    const writer = asked();
    const done = (): string[] =>
      [...doneCalls(planContext(writer.tree, 'r').items).values()].flatMap((ids) => [...ids]);
    expect(done()).toEqual([]);
    writer.add(result('one', 'elsewhere'), 'a', 'r');
    expect(done()).toEqual(['one']);
  });
});

describe('HF4, SF11: what the person made of a command', () => {
  const copies = (writer: Writer, at: string): string[] =>
    planFork(writer.tree, at, { header: HEADER, randomHex: seededHex(9) }).items.flatMap((item) =>
      item.kind === 'copy' ? [item.sourceId] : [],
    );

  it('stands once in a fork whose path has it', () => {
    const writer = asked();
    writer.add(editedDraft('one', 'echo 1'), 'e');
    expect(copies(writer, 'r')).toEqual(['q', 'r', 'e']);
    expect(copies(writer, 'e')).toEqual(['q', 'r', 'e']);
  });

  it('is none of a fork whose path answers the call otherwise', () => {
    const writer = asked();
    writer.add(editedDraft('one', 'echo 1'), 'e');
    writer.add(result('one', 'elsewhere'), 'a', 'r');
    expect(copies(writer, 'a')).toEqual(['q', 'r', 'a']);
    expect(copies(writer, 'r')).toEqual(['q', 'r', 'e']);
  });
});
