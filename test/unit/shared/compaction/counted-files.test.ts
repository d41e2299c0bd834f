import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Conversation, filesOfLine } from '../../../../src/main/compaction/conversation';
import { rowOf } from '../../../../src/main/session/machine/rows';
import { textOfNode } from '../../../../src/renderer/features/graph/words';
import { viewTool } from '../../../../src/renderer/features/transcript/tool-state';
import { addFileOps, doneCalls, fileListsOf, noFileOps } from '@shared/compaction/file-activity';
import { untoldCallsIn } from '@shared/compaction/call-results';
import { TurnTree } from '@shared/graph/turns';
import { DECLINED } from '@shared/policy/approval';
import { type CallOutcome, MAYBE_BEGAN, NEVER_BEGAN, withOutcome } from '@shared/policy/call-outcome';
import { planContext } from '@shared/session/context/context-plan';
import { projectEntry } from '@shared/session/messages/projection';
import type { EntryDraft, ToolCallBlock, ToolResultMessage } from '@shared/session/records/entry';
import { replyMessage, user, Writer } from '../session/support';

/** Every place that counts files, over one session: they may differ in nothing but what they count (FA1, TS5). */

const WORDS = ['ok', DECLINED, NEVER_BEGAN, MAYBE_BEGAN, 'Command exited with code 1', 'no such folder'];
const OUTCOMES: (CallOutcome | null)[] = [null, 'ran', 'failed', 'declined', 'stopped', 'notRun', 'interrupted'];

/** `at`: the result stands right behind its reply, after the next one, on another branch, or nowhere. */
const call = fc.record({
  name: fc.constantFrom('write', 'edit', 'read', 'bash'),
  path: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  at: fc.constantFrom('here', 'late', 'beside', 'nowhere'),
  isError: fc.boolean(),
  words: fc.constantFrom(...WORDS),
  outcome: fc.constantFrom(...OUTCOMES),
  ending: fc.constantFrom(undefined, 'exited', 'stopped'),
});
type Made = typeof call extends fc.Arbitrary<infer T> ? T & { id: string } : never;
const session = fc.array(
  fc.record({
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    stopReason: fc.constantFrom('toolUse', 'aborted'),
  }),
  { maxLength: 5 },
);

const blockOf = ({ id, name, path }: Made): ToolCallBlock => ({ type: 'toolCall', id, name, arguments: { path } });

function resultOf({ id, name, isError, words, outcome, ending }: Made): EntryDraft {
  const given = ending === undefined ? {} : { ending };
  const details = outcome === null ? given : withOutcome(given, outcome);
  const content = [{ type: 'text' as const, text: words }];
  const message = {
    role: 'toolResult' as const,
    toolCallId: id,
    toolName: name,
    content,
    details,
    isError,
    timestamp: 0,
  };
  return { type: 'message', message };
}

/** The path on which the replies stand, and its calls. */
function written(turns: readonly { calls: readonly Omit<Made, 'id'>[]; stopReason: string }[]) {
  const writer = new Writer();
  writer.add(user('Go'), 'q');
  const made: Made[] = [];
  let late: Made[] = [];
  let leaf = 'q';
  turns.forEach(({ calls, stopReason }, turn) => {
    const own = calls.map((one, at): Made => ({ ...one, id: `c${turn}.${at}` }));
    made.push(...own);
    const message = { ...replyMessage('', { stopReason }), content: own.map(blockOf) };
    const reply = `r${turn}`;
    writer.add({ type: 'message', message } as EntryDraft, reply, leaf);
    for (const one of own) if (one.at === 'beside') writer.add(resultOf(one), `${one.id}!`, reply);
    leaf = reply;
    for (const one of [...own.filter(({ at }) => at === 'here'), ...late]) {
      writer.add(resultOf(one), `${one.id}!`, leaf);
      leaf = `${one.id}!`;
    }
    late = own.filter(({ at }) => at === 'late');
  });
  return {
    writer,
    leaf,
    made,
    isHere: ({ at, id }: Made) => at === 'here' || (at === 'late' && !late.some((one) => one.id === id)),
  };
}

const changed = (calls: readonly Made[]): string[] =>
  [...new Set(calls.filter(({ name }) => name === 'write' || name === 'edit').map(({ path }) => path))].sort();

it('FA1, TS5: files counted are those of calls whose result says that they ran and did not fail, wherever they are counted', () => {
  const seen = { counted: 0, not: 0 };
  fc.assert(
    fc.property(session, (turns) => {
      const { writer, leaf, made, isHere } = written(turns);
      const ran = made.filter((one) => !one.isError && (isHere(one) || one.at === 'beside'));
      const expected = changed(ran);
      seen[expected.length < changed(made).length ? 'not' : 'counted']++;
      const { items } = planContext(writer.tree, leaf);
      const entryOf = (id: string) => writer.entries.find((entry) => entry.id === id)!;
      const lineOf = (id: string): string => JSON.stringify(entryOf(id));

      // Leave dialog, bring over and extensions; the Compact sheet.
      const done = doneCalls(items);
      const left = noFileOps(null);
      items.forEach(({ node }, at) => addFileOps(left, projectEntry(entryOf(node.id), 0), done.get(at)));
      expect(fileListsOf(left).modifiedFiles).toEqual(expected);
      const sheet = items.flatMap(({ node }, at) =>
        filesOfLine({ line: lineOf(node.id), timeMs: 0, done: done.get(at) }),
      );
      expect(new Set(sheet)).toEqual(left.touched);

      // A summary, and so its marker.
      const untold = untoldCallsIn(items);
      const conversation = new Conversation({ place: { root: '', home: '' } });
      const beside = (ids: readonly string[]): string[] =>
        made.filter(({ id, at }) => at === 'beside' && ids.includes(id)).map(({ id }) => lineOf(`${id}!`));
      items.forEach(({ node }, at) => {
        const { open = [], late = [] } = untold.get(at) ?? {};
        conversation.add('history', [
          { line: lineOf(node.id), timeMs: 0, ends: { results: beside(open), late: [...late] } },
        ]);
      });
      expect(fileListsOf(conversation.texts(100_000).files)).toEqual(fileListsOf(left));

      // The graph draws branches too, and so counts what stands beside.
      const graph = new TurnTree();
      for (const node of writer.tree.entriesInOrder()) graph.add(rowOf(writer.tree, node));
      const files = new Set(
        graph.nodes.flatMap(
          (node) =>
            textOfNode(
              { ...node, replies: made.map(({ id }) => `r${id.slice(1, 2)}`), promptId: null } as never,
              entryOf,
            ).files,
        ),
      );
      expect([...files].sort()).toEqual(expected);

      // Cards.
      for (const one of made) {
        const { message } = resultOf(one) as { message: ToolResultMessage };
        const { changes } = viewTool(
          { name: one.name, arguments: { path: one.path, content: 'x' } },
          message,
          'running',
        );
        expect(changes !== null).toBe(!one.isError && one.name === 'write');
      }
    }),
    { numRuns: 300 },
  );
  expect(Math.min(seen.counted, seen.not)).toBeGreaterThan(20);
});
