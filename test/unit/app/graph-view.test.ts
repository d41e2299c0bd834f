import type { KeyboardEvent } from 'react';
import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { BranchGraph } from '../../../src/shared/graph/branch-graph';
import { lineOf, outlineRows } from '../../../src/shared/graph/outline';
import type { TurnNode } from '../../../src/shared/graph/turns';
import { renameBranch } from '../../../src/renderer/actions/branches';
import { compareWithHead, hasKept } from '../../../src/renderer/actions/compare';
import { actionOfKey } from '../../../src/renderer/actions/menus';
import { canvasPicture } from '../../../src/renderer/features/graph/canvas';
import { type GraphScope, isLegalTarget, NO_DRAG } from '../../../src/renderer/features/graph/context';
import { railPicture } from '../../../src/renderer/features/graph/rail';
import type { Picture } from '../../../src/renderer/features/graph/picture';
import { serveCarried } from '../../../src/renderer/features/graph/use-keys';
import { createView, isTurn, show, showTurns, targetOf } from '../../../src/renderer/features/graph/view';
import { fanSession } from '../../support/graph-sessions';
import { chain, entry, graphOf } from '../shared/graph/support';

const railOf = (graph: BranchGraph): Picture => railPicture(graph.rail, 396, null);

/** The parts of an open graph that answer what its cells are; `picture` null: it is an outline. */
function scopeOf(graph: BranchGraph, picture: Picture | null) {
  const done: [string, TurnNode][] = [];
  const said: string[] = [];
  const note = (what: string) => (node: TurnNode) => void done.push([what, node]);
  const scope = {
    app: { announce: (words: string) => void said.push(words) },
    ...{ session: { id: 's' }, drag: createStore(() => NO_DRAG), overlay: createStore(() => ({})) },
    store: { graph, setCursor: note('cursor'), reveal: (node: TurnNode) => (note('reveal')(node), graph.reveal(node)) },
    ...{ view: {}, picture: { current: picture }, keys: { wanted: null }, camera: { current: null } },
  } as unknown as GraphScope;
  return { scope, done, said };
}

const nodeOf = (graph: BranchGraph, id: string): TurnNode => graph.turns.place(id)!.node;
const branch = [
  entry('x', 'a0', 'user', 20),
  ...[entry('y', 'x', 'assistant', 21), entry('z', 'y', 'user', 22), entry('zz', 'z', 'assistant', 23)],
];

describe('what is done with a cell', () => {
  it('GR5: is done with the variant that it shows: on the rail, the canvas, the chapters, in the outline', () => {
    const graph = graphOf([...chain(2), entry('v', 'a0', 'user', 10), entry('w', 'v', 'assistant', 11)], 'w');
    const ids = (): string[] =>
      [
        ...[
          railOf(graph),
          canvasPicture(graph.layout, 'turns'),
          canvasPicture(graph.layouts.fitting(8, 16), 'chapters'),
        ],
        null,
      ].map((picture) => targetOf(scopeOf(graph, picture).scope, graph.head!).id);
    // A chapter of two turns is known by the first of them.
    expect(ids()).toEqual(['v', 'v', 'v', 'v']);
    graph.bringToFront(nodeOf(graph, 'u1'));
    expect(graph.shownOn(graph.head!).contentId).toBe('u1');
    expect(ids().map((id, at) => (at === 2 ? 'u1' : id))).toEqual(['u1', 'u1', 'u1', 'u1']);
  });

  it('GR10: H takes the keys along to HEAD, on rail, canvas and in the outline', () => {
    const graph = graphOf(chain(60));
    for (const picture of [railOf(graph), canvasPicture(graph.layout, 'turns'), null]) {
      const { scope, done } = scopeOf(graph, picture);
      createView(scope).goToHead();
      expect(done.filter(([what]) => what === 'cursor').at(-1)?.[1]).toBe(picture?.cellOf(graph.head!) ?? graph.head);
    }
  });

  it('GR8: H, and the row of a branch, go over from chapters to turns where no chapter is known by the turn', () => {
    const graph = graphOf([...chain(6), ...branch], 'a5');
    const picture = canvasPicture(graph.layouts.fitting(8, 16), 'chapters');
    const { scope, done } = scopeOf(graph, picture);
    Object.assign(scope.store, { memory: { get: () => ({}), set: () => undefined } });
    createView(scope).goToHead();
    expect(scope.overlay.getState().level).toBe('turns');
    expect(scope.keys.scale).toBe(1);
    expect(done.at(-1)).toEqual(['cursor', graph.head]);
    // A branch that begins a chapter has its name there.
    expect(picture.isCell(nodeOf(graph, 'x'))).toBe(true);
    expect(showTurns(scope, nodeOf(graph, 'x'))).toBe(false);
    expect(showTurns(scope, nodeOf(graph, 'u5'))).toBe(true);
  });

  it('GR16, GR24: F2 on a row renames the branch that it is of, in the list T reads it; F1 lists the keys of both', () => {
    const app = { settings: { getState: () => ({ settings: { 'shortcuts.keys': {} } }) } } as never;
    expect([actionOfKey(app, 'node', 'F2'), actionOfKey(app, 'branch', 'T')]).toEqual(['node.name', 'node.read']);
    const named: unknown[] = [];
    const graph = graphOf([...chain(3), ...branch], 'a2');
    const names: Record<string, string> = {};
    const { scope } = scopeOf(graph, railOf(graph));
    const session = { id: 's', graph: { graph }, live: { getState: () => ({ names }) }, entry: () => undefined };
    const sessions = { getState: () => ({ byId: {} }) };
    const view = createView({ ...scope, app: { sessions }, session } as never);
    const ui = { setState: ({ branchDialog }: never) => named.push(branchDialog) };
    const rename = (): void =>
      renameBranch({ ui } as never, { sessionId: 's', id: 'z', node: nodeOf(graph, 'z'), view } as never);
    // Neither its name nor its first words are in memory: what the name belongs to is known.
    rename();
    names.x = 'Locks';
    rename();
    expect(named).toEqual([
      { kind: 'label', sessionId: 's', entryId: 'x', name: '' },
      { kind: 'label', sessionId: 's', entryId: 'x', name: 'Locks' },
    ]);
  });

  it('GR8: a chapter of several turns is no turn that a double click goes to', () => {
    const graph = graphOf(chain(6));
    const { scope } = scopeOf(graph, canvasPicture(graph.layouts.fitting(8, 16), 'chapters'));
    expect(isTurn(scope, graph.layout.tops[0]!)).toBe(false);
    expect(isTurn(scopeOf(graph, canvasPicture(graph.layout, 'turns')).scope, graph.layout.tops[0]!)).toBe(true);
  });

  it('GR14: a closed branch is compared with all that is in it', () => {
    const graph = graphOf([...chain(4), ...branch], 'a3');
    const { node } = graph.rail.rows.find(({ kind }) => kind === 'branch')!;
    let compared: unknown = null;
    const app = {
      openSession: () => ({ graph: { open: () => undefined }, live: { getState: () => ({ leafId: 'a3' }) } }),
      ui: { setState: (state: { compared: unknown }) => (compared = state.compared) },
    } as never;
    const target = targetOf(scopeOf(graph, railOf(graph)).scope, node);
    compareWithHead(app, { ...target, view: { store: { graph } } } as never);
    expect(compared).toMatchObject({ a: 'a3', b: 'zz' });
  });

  it('GR14: the side that HEAD went to is kept, with the summary of what was left, and where it ends with one', () => {
    const left = { ...entry('s', 'zz', 'branchSummary', 30), fromId: 'a3' };
    const brought = { ...entry('t', 'zz', 'branchSummary', 31), fromId: 'a3', broughtOver: true as const };
    const graph = graphOf([...chain(4), ...branch, left, brought], 'a3');
    const kept = (head: string, ...sides: string[]): boolean =>
      hasKept(
        nodeOf(graph, head),
        sides.map((id) => nodeOf(graph, id)),
      );
    expect([kept('zz', 'a3', 'zz'), kept('s', 'a3', 'zz'), kept('s', 'a3', 's')]).toEqual([true, true, true]);
    // What was brought over stands at HEAD: nobody went anywhere.
    expect([kept('t', 'a3', 'zz'), kept('y', 'a3', 'zz')]).toEqual([false, false]);
  });
});

describe('GR6: "N branches"', () => {
  it('is no place for HEAD or a summary to go to', () => {
    const { entries, leafId } = fanSession(12);
    const graph = graphOf(entries, leafId);
    const { node, members } = graph.rail.rows.find(({ kind }) => kind === 'many')!;
    const source = graph.head;
    for (const picture of [railOf(graph), canvasPicture(graph.layout, 'turns')]) {
      for (const kind of ['head', 'node'] as const) {
        expect(isLegalTarget({ graph, picture }, { kind, source }, node)).toBe(false);
        // One of them that stands for itself is.
        graph.openRun(graph.order.runOf(members![1]!), true);
        const opened = picture.kind === 'rail' ? railOf(graph) : canvasPicture(graph.layout, 'turns');
        expect(isLegalTarget({ graph, picture: opened }, { kind, source }, members![1]!)).toBe(true);
        graph.openRun(graph.order.runOf(members![1]!), false);
      }
    }
  });
});

describe('the outline', () => {
  const press = (key: string): KeyboardEvent => ({ key }) as KeyboardEvent;

  it('GR32: Enter puts down what is carried, and does nothing else; without it Enter goes there', () => {
    const graph = graphOf([...chain(4), ...branch], 'a3');
    const { scope, said } = scopeOf(graph, null);
    expect(serveCarried(scope, press('Enter'), nodeOf(graph, 'x'))).toBe(false);
    scope.drag.setState({ ...NO_DRAG, kind: 'node', source: graph.head, isCarried: true });
    expect(serveCarried(scope, press('Enter'), nodeOf(graph, 'u1'))).toBe(true);
    // It is on the same branch: it is carried on.
    expect(said).toEqual(['It can only go to a turn of another branch.']);
    expect(scope.drag.getState().isCarried).toBe(true);
    expect(serveCarried(scope, press('g'), nodeOf(graph, 'x'))).toBe(false);
  });

  it('GR19: what somebody leads to has a line, also out of a fold or a stack', () => {
    const graph = graphOf([...chain(30), entry('v', 'a28', 'user', 90), entry('w', 'v', 'assistant', 91)], 'a29');
    graph.foldAll(true);
    const { scope, done } = scopeOf(graph, null);
    const lines = (): Set<TurnNode> => new Set(outlineRows(graph, new Set()).map(({ node }) => node));
    for (const id of ['u5', 'v']) {
      const node = nodeOf(graph, id);
      expect(lines().has(node)).toBe(false);
      show(scope, node);
      expect(done.splice(0)).toEqual([
        ['reveal', node],
        ['cursor', node],
      ]);
      expect(lines().has(lineOf(graph, node))).toBe(true);
      expect(graph.shownOn(lineOf(graph, node))).toBe(node);
    }
    expect([...lines()].every((node) => lineOf(graph, node) === node)).toBe(true);
  });
});
