import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContextCursor } from '@shared/session/context/context-cursor';
import { type EntryDraft, MissingBodiesError } from '@shared/session/records/entry';
import { buildContext } from '../../../support/oracle/context';
import { toProviderMessages } from '../../../support/oracle/sanitize';
import { compaction, custom, FRAMES, reply, result, user, Writer } from './support';
import { shortOrLong } from '../../../support/long-form';

/** Few ids, so that calls repeat, results come late, twice, or for nobody. */
const callId = fc.constantFrom('a', 'b', 'c');
const text = fc.constantFrom('text', 'text', ' ');
/** Counted back from the newest entry. */
const back = fc.nat(15);

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('user' as const), text }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('reply' as const),
      text,
      calls: fc.array(callId, { maxLength: 3 }),
      stopReason: fc.constantFrom('stop', 'stop', 'stop', 'error', 'aborted'),
    }),
  },
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('result' as const), id: callId }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), back }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compaction' as const), back }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('omit' as const), back }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const), back }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit' as const), back, removes: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pin' as const), back }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('branch summary' as const), back }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('other role' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function apply(writer: Writer, step: Step): void {
  const targetId = 'back' in step ? (writer.entries.at(-1 - step.back)?.id ?? 'nowhere') : '';
  const add = (draft: EntryDraft, parentId?: string | null): unknown => writer.add(draft, undefined, parentId);
  switch (step.kind) {
    case 'user':
      return void add(user(step.text));
    case 'reply':
      return void add(reply(step.text, { calls: step.calls, stopReason: step.stopReason }));
    case 'result':
      return void add(result(step.id, `${step.id} ${writer.entries.length}`));
    case 'move':
      return writer.tree.has(targetId) ? writer.moveTo(targetId) : undefined;
    case 'compaction':
      return void add(compaction('S', targetId));
    case 'omit':
      return void add(custom('espalier.omit', { v: 1, targets: [targetId], reason: 'x' }));
    case 'prune':
      return void add(
        custom('espalier.prune', { v: 1, action: 'prune', items: [{ targetId, mode: 'elide', tokens: 7 }] }),
      );
    case 'edit':
      return void add({
        type: 'context_edit',
        targetId,
        replacement: step.removes ? null : { content: [{ type: 'toolCall', id: 'a', name: 'bash', arguments: {} }] },
      });
    case 'pin':
      return void add(custom('espalier.pin', { v: 1, targetId, pinned: true }));
    case 'branch summary': {
      const fromId = writer.tree.leafId ?? 'root';
      return void add({ type: 'branch_summary', fromId, summary: 'B' }, writer.tree.has(targetId) ? targetId : null);
    }
    case 'other role':
      return void add({ type: 'message', message: { role: 'bashExecution', command: 'ls', output: '' } as never });
  }
}

function expectedAt(writer: Writer): unknown {
  return toProviderMessages(buildContext(writer.tree, writer.tree.leafId).messages, FRAMES);
}

describe('what is sent, kept up to date', () => {
  it('CX8 to CX11: after any steps it is what the oracle makes from scratch', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 40 }), (steps) => {
        const writer = new Writer();
        const cursor = new ContextCursor(writer.tree, FRAMES);
        for (const [next, looks] of steps) {
          apply(writer, next);
          // Requests come after some of the appends only: what is between two is taken together.
          if (looks) expect(cursor.messages()).toEqual(expectedAt(writer));
        }
        expect(cursor.messages()).toEqual(expectedAt(writer));
        expect(new ContextCursor(writer.tree, FRAMES).messages()).toEqual(expectedAt(writer));
      }),
      { numRuns: shortOrLong(500, 2000) },
    );
  });

  it('CX7: bodies that left memory are asked for, and nothing is taken twice', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), fc.array(step, { maxLength: 10 }), (first, then) => {
        const writer = new Writer();
        const cursor = new ContextCursor(writer.tree, FRAMES);
        first.forEach((next) => apply(writer, next));
        cursor.messages();
        then.forEach((next) => apply(writer, next));
        const expected = expectedAt(writer);
        writer.tree.dropBodies(() => false);
        for (let tries = 0; tries < 2; tries++) {
          try {
            expect(cursor.messages()).toEqual(expected);
          } catch (error) {
            if (!(error instanceof MissingBodiesError)) throw error;
            expect(error.ids.length).toBeGreaterThan(0);
          }
          for (const entry of writer.entries) writer.tree.setBody(entry);
        }
        expect(cursor.messages()).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('JB10: without one of its entries it is what the oracle makes without it', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), fc.nat(), (steps, at) => {
        const writer = new Writer();
        steps.forEach((next) => apply(writer, next));
        const { projection } = buildContext(writer.tree, writer.tree.leafId);
        const without = projection.length > 0 ? projection[at % projection.length]!.sourceId : 'none';
        const others = projection.filter(({ sourceId }) => sourceId !== without).map(({ message }) => message);
        const cursor = new ContextCursor(writer.tree, FRAMES);
        expect(cursor.messages(without)).toEqual(toProviderMessages(others, FRAMES));
        expect(cursor.messages()).toEqual(expectedAt(writer));
      }),
      { numRuns: 500 },
    );
  });
});
