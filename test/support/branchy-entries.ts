import type { Row } from '../../src/shared/session-state/state';

/** Graph entries of prompt and answer: a trunk with branches of equal length spread over it, in file order. */
export function branchyEntries(turns: number, branches: number): { entries: Row[]; leafId: string } {
  const entries: Row[] = [];
  const length = Math.max(1, Math.floor(turns / (4 * branches)));
  const trunk = turns - branches * length;
  const turn = (parentId: string | null): string => {
    const seq = entries.length + 1;
    const common = { time: seq * 1000, tokens: 400 };
    entries.push({ id: `u${seq}`, parentId, seq, kind: 'user', ...common });
    entries.push({ id: `a${seq}`, parentId: `u${seq}`, seq: seq + 1, kind: 'assistant', ...common });
    return `a${seq}`;
  };
  let leafId: string | null = null;
  const ends: string[] = [];
  for (let at = 0; at < trunk; at++) {
    leafId = turn(leafId);
    if (Math.floor(((at + 1) * branches) / trunk) > Math.floor((at * branches) / trunk)) ends.push(leafId);
  }
  for (const end of ends) {
    let at = end;
    for (let n = 0; n < length; n++) at = turn(at);
  }
  return { entries, leafId: leafId ?? '' };
}
