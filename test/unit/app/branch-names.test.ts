import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/renderer/state/app-type';
import { nameFrom, nameOfTurn } from '../../../src/renderer/state/branch-names';
import type { OpenSession } from '../../../src/renderer/state/open-session';
import { branchNameOf, createTurnFacts, fromName } from '../../../src/renderer/features/graph/turn-facts';
import { createNodeTexts } from '../../../src/renderer/features/graph/words';
import type { Row } from '../../../src/shared/session-state/state';
import { graphOf } from '../shared/graph/support';

const row = (id: string, parentId: string | null, seq: number, more: Partial<Row> = {}): Row => ({
  ...{ id, parentId, seq, time: seq, tokens: 1, kind: 'user', ...more },
});
/** `b` and `c` leave `a` beside HEAD's `d`, which `s` continues: the summary of `b`. */
const ROWS = [
  row('a', null, 0),
  row('b', 'a', 1),
  row('c', 'a', 2),
  row('d', 'a', 3),
  // What was gone on with is a branch, and no variant.
  row('b2', 'b', 4),
  row('c2', 'c', 5),
  row('s', 'd', 6, { kind: 'branchSummary', fromId: 'b' }),
  // `t` is begun with the summary of `b`, and `t2` goes on with it.
  row('t', 'a', 7, { kind: 'branchSummary', fromId: 'b' }),
  row('t2', 't', 8),
];

function bench({ labels = {}, names = {} }: { labels?: Record<string, string>; names?: Record<string, string> } = {}) {
  const graph = graphOf(ROWS, 's');
  graph.setLabels(new Map(Object.entries(labels)));
  const held = new Map<string, object>();
  const state = { version: 0 };
  const live = { labels, names };
  const session = {
    id: 'session',
    graph: { graph, state: { getState: () => state } },
    live: { getState: () => live },
    entry: (id: string) => held.get(id),
  } as unknown as OpenSession;
  const app = {
    sessions: { getState: () => ({ byId: { session: { title: 'Job queue', workspace: '' } } }) },
    settings: { getState: () => ({ home: '' }) },
  } as unknown as App;
  const texts = createNodeTexts((id) => held.get(id) as never);
  const scope = { app, session, store: session.graph, texts };
  const node = (id: string) => graph.turns.place(id)!.node;
  const say = (id: string, content: string) => held.set(id, { type: 'message', message: { role: 'user', content } });
  return { session, scope, node, say, held, live, facts: createTurnFacts(scope) };
}

describe('GR16: what a branch is called', () => {
  it('is the same in rail, hits, filters, and before the tree is read: label, title, first words', () => {
    const { session, scope, node, say, facts } = bench({ labels: { b: 'triggers' }, names: { b: 'other', c: 'CDC' } });
    for (const [id, name] of [
      ['b', 'triggers'],
      ['c', 'CDC'],
    ] as const) {
      expect(nameFrom(session, id)).toBe(name);
      expect(nameOfTurn(session, 'Job queue', node(id)).text).toBe(name);
      expect(branchNameOf(scope, node(id))?.text).toBe(name);
      expect(facts.branchName(node(id))).toBe(name);
    }
    const plain = bench();
    expect(branchNameOf(plain.scope, plain.node('b'))).toBeNull();
    expect(plain.facts.branchName(plain.node('b'))).toBe('');
    plain.say('b', 'Use triggers instead');
    for (const name of [nameFrom(plain.session, 'b'), plain.facts.branchName(plain.node('b'))]) {
      expect(name).toBe('Use triggers instead');
    }
    say('b', 'never mind');
    expect(facts.branchName(node('b'))).toBe('triggers');
  });

  it('of words stays when their body has left the cache', () => {
    const { scope, node, say, held } = bench();
    say('b', 'Use triggers instead');
    scope.texts(node('b'));
    held.clear();
    expect(branchNameOf(scope, node('b'))).toMatchObject({ from: 'words', text: 'Use triggers instead' });
  });

  it('of HEAD is the session’s, or the nearest name above it; a new one is told at once', () => {
    const { facts, node, live } = bench();
    expect(facts.branchName(node('d'))).toBe('Job queue');
    live.names = { d: 'outbox' };
    expect(facts.branchName(node('a'))).toBe('outbox');
  });

  it('is told at a summary of it, and nowhere else', () => {
    const { scope, node } = bench({ names: { b: 'triggers\u202e' } });
    expect(fromName(scope, node('s'))).toMatch(/^from ‹triggers.+›$/);
    expect(fromName(scope, node('s'))).not.toContain('\u202e');
    expect(fromName(scope, node('d'))).toBeNull();
  });

  it('of one that begins with a summary is what was said next, also once that has left the cache', () => {
    const { scope, node, say, held } = bench();
    held.set('t', { type: 'branch_summary', summary: 'Another branch of this session was worked on.' });
    say('t2', 'Take the outbox');
    expect(nameOfTurn(scope.session, 'Job queue', node('t2')).text).toBe('Take the outbox');
    scope.texts(node('t2'));
    held.clear();
    expect(branchNameOf(scope, node('t'))?.text).toBe('Take the outbox');
  });
});
