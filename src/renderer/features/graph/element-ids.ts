import type { TurnNode } from '@shared/graph/turns';

/**
 * Says which element shows which cell, for the list of those on screen. A cell that stays keeps its element. Where most of them go at
 * once, because HEAD has moved or the view has jumped, those that come take over the elements of those that go: an element that is
 * filled anew costs a fraction of one that is made, and React Flow has each that is gone fail at every change until it is taken away.
 * In a pan a few come and go at the edges; there elements stay in order, since one that moved within the page would cost as much.
 */
export function createElementIds(): (cells: readonly TurnNode[]) => (cell: TurnNode) => string {
  let byCell: ReadonlyMap<TurnNode, number> = new Map();
  let made = 0;
  return (cells) => {
    const before = byCell;
    const staying = cells.filter((cell) => before.has(cell));
    const taken = new Set(staying.map((cell) => before.get(cell)));
    const free = staying.length * 2 < cells.length ? [...before.values()].filter((id) => !taken.has(id)) : [];
    let next = 0;
    const now = new Map(cells.map((cell) => [cell, before.get(cell) ?? free[next++] ?? made++]));
    byCell = now;
    return (cell) => String(now.get(cell));
  };
}
