import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSearched } from '../../../src/main/search/searched-entry';
import { forkAt, placeAt, readLinesOf, standingOf } from '../../../src/main/search/standing';
import { readSession } from '../../support/read-session';
import { seededHex } from '../shared/session/support';

const HEADER = JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: '', cwd: '/' });

/** Entries, each below any earlier one or below nothing; some are none that the transcript shows. */
const entries = fc.array(fc.record({ up: fc.nat(), isRoot: fc.boolean(), isShown: fc.boolean() }), {
  minLength: 1,
  maxLength: 60,
});

it('SE4: what the model has less of than it says is told apart from what it has word for word', () => {
  let parentId: string | null = null;
  const entry = (id: string, rest: object): string => {
    const line = JSON.stringify({ id, parentId, timestamp: '', ...rest });
    parentId = id;
    return line;
  };
  const said = (id: string, message: object): string =>
    entry(id, { type: 'message', message: { timestamp: 1, ...message } });
  const run = { role: 'bashExecution', command: 'ls', output: 'long', exitCode: 0, cancelled: false, truncated: false };
  const result = (toolCallId: string): object => ({ role: 'toolResult', toolCallId, toolName: 'bash', isError: false });
  const call = (id: string): object => ({ type: 'toolCall', id, name: 'bash', arguments: {} });
  const text = { type: 'text', text: 'x'.repeat(5_000) };
  const prune = (targetId: string, mode: string): object => ({ targetId, mode, tokens: 1_250 });
  const custom = (id: string, customType: string, data: object): string =>
    entry(id, { type: 'custom', customType, data });
  const { tree } = readSession(
    [
      HEADER,
      said('old', { role: 'user', content: 'before the reset' }),
      entry('reset', { type: 'reset_boundary' }),
      said('u1', { role: 'user', content: 'go' }),
      said('shown', { ...run }),
      said('hidden', { ...run, excludeFromContext: true }),
      said('a1', { role: 'assistant', content: ['one', 'two', 'three'].map(call), stopReason: 'toolUse' }),
      said('elided', { ...result('one'), content: [text] }),
      said('shortened', { ...result('two'), content: [text] }),
      said('imageless', { ...result('three'), content: [text] }),
      said('omitted', { role: 'user', content: 'no' }),
      said('a2', { role: 'assistant', content: [{ type: 'text', text: 'done' }], stopReason: 'stop' }),
      custom('p', 'espalier.prune', {
        action: 'prune',
        items: [prune('elided', 'elide'), prune('shortened', 'shorten'), prune('imageless', 'images')],
      }),
      custom('o', 'espalier.omit', { targets: ['omitted'] }),
    ],
    { randomHex: seededHex(1) },
  );
  const { places } = standingOf(tree);
  const placeOf = (id: string): string => placeAt(places, tree.node(id)!.seq);
  expect(['u1', 'shown', 'a1', 'imageless', 'a2'].map(placeOf)).toEqual(Array(5).fill('kept'));
  expect(['old', 'hidden', 'elided', 'shortened', 'omitted'].map(placeOf)).toEqual(Array(5).fill('reduced'));
});

it('SE1, GR12: a branch is where it leaves the path, at the last entry there that is shown', () => {
  fc.assert(
    fc.property(entries, fc.array(fc.boolean(), { maxLength: 60 }), (made, swaps) => {
      const lines = made.map(({ up, isRoot, isShown }, at) => {
        const parentId = at === 0 || (isRoot && up % 7 === 0) ? null : `e${at - 1 - (up % Math.min(at, 6))}`;
        const shown = { type: 'message', message: { role: 'user', content: `m${at}`, timestamp: 1 } };
        const hidden = { type: 'model_change', provider: 'p', modelId: 'm' };
        return JSON.stringify({ ...(isShown ? shown : hidden), id: `e${at}`, parentId, timestamp: '' });
      });
      // A child may stand before its parent.
      for (const [at, isSwapped] of swaps.entries())
        if (isSwapped && at + 1 < lines.length) [lines[at], lines[at + 1]] = [lines[at + 1]!, lines[at]!];
      const { tree } = readSession([HEADER, ...lines], { randomHex: seededHex(1) });
      const { places, forks } = standingOf(tree);
      const onPath = new Set(tree.pathTo(tree.leafId));
      for (const node of tree.entriesInOrder()) {
        expect(places[node.seq] === 2).toBe(!onPath.has(node));
        if (onPath.has(node)) continue;
        let at = node.parent;
        while (at && !(onPath.has(at) && isSearched(at.facts))) at = at.parent;
        expect(forkAt(forks, node.seq)).toBe(at ? at.seq : null);
      }
      for (const leaf of tree.entriesInOrder()) {
        const lines = readLinesOf(tree, leaf.id);
        const read = new Set(tree.pathTo(leaf.id));
        for (const node of tree.entriesInOrder()) {
          expect(lines.onPath[node.seq] === 1).toBe(read.has(node));
          if (read.has(node)) continue;
          let at = node.parent;
          while (at && !(read.has(at) && isSearched(at.facts))) at = at.parent;
          expect(forkAt(lines.forks, node.seq)).toBe(at ? at.seq : null);
        }
      }
    }),
  );
});
