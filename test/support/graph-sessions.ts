import type { Row, RowKind } from '../../src/shared/session-state/state';
import { seededRandom } from './random';

/** A session of the branch graph: its path entries in file order, and where HEAD is. */
export interface GraphSession {
  entries: Row[];
  leafId: string;
}

/** Makes sessions entry by entry: a turn is a prompt and its answer, `u…` and `a…`; compactions are `c…`, branch summaries `s…`. */
class Maker {
  readonly entries: Row[] = [];

  add(letter: string, parentId: string | null, kind: RowKind, more: Partial<Row> = {}): string {
    const seq = this.entries.length + 1;
    const id = `${letter}${seq}`;
    this.entries.push({ id, parentId, seq, kind, time: seq * 60_000, tokens: 400, ...more });
    return id;
  }

  /** The end of the last of so many turns below an entry. */
  turns(parentId: string | null, count: number): string {
    let at = parentId;
    for (let n = 0; n < count; n++) at = this.add('a', this.add('u', at, 'user'), 'assistant');
    return at as string;
  }

  session(leafId: string): GraphSession {
    return { entries: this.entries, leafId };
  }
}

/** So many turns, every third prompt of which was edited and sent again; what it had got before is left as it is. */
export function editedSession(turns = 60): GraphSession {
  const made = new Maker();
  let leafId = made.turns(null, 1);
  for (let turn = 1; turn < turns; turn++) {
    if (turn % 3 === 2) made.turns(leafId, 1);
    leafId = made.turns(leafId, 1);
  }
  return made.session(leafId);
}

/** So many branches out of one turn in the middle of the trunk, each of `length` turns. */
export function fanSession(branches: number, length = 3): GraphSession {
  const made = new Maker();
  const fork = made.turns(null, 4);
  for (let branch = 0; branch < branches; branch++) made.turns(fork, length);
  return made.session(made.turns(fork, 6));
}

/** One prompt, and so many ways to go on from it; HEAD is in the last. */
export function starSession(siblings = 2000, length = 2): GraphSession {
  const made = new Maker();
  const fork = made.turns(null, 1);
  let leafId = fork;
  for (let branch = 0; branch < siblings; branch++) leafId = made.turns(fork, length);
  return made.session(leafId);
}

/** A trunk out of every turn of which a branch leaves. */
export function combSession(turns = 600, length = 2): GraphSession {
  const made = new Maker();
  let leafId: string | null = null;
  for (let turn = 0; turn < turns; turn++) {
    leafId = made.turns(leafId, 1);
    made.turns(leafId, length);
  }
  return made.session(leafId as string);
}

/** So many turns with branches that leave branches, `depth` deep: what is left goes to the trunk, on whose end HEAD is. */
export function nestedSession(turns = 10_000, branches = 300, depth = 12): GraphSession {
  const made = new Maker();
  const random = seededRandom(7);
  const length = Math.max(2, Math.floor(turns / (3 * branches)));
  const trunk = turns - branches * length;
  const chains = Math.ceil(branches / depth);
  let leafId = made.turns(null, 1);
  let left = branches;
  for (let turn = 1; turn < trunk - 1; turn++) {
    if (turn % Math.max(1, Math.floor(trunk / chains)) === 0) {
      // A chain of branches, each out of the one before.
      let from = leafId;
      for (let nested = 0; nested < depth && left > 0; nested++, left--) {
        const before = 1 + Math.floor(random() * (length - 1));
        const middle = made.turns(from, before);
        made.turns(middle, length - before);
        from = middle;
      }
    }
    leafId = made.turns(leafId, 1);
  }
  for (; left > 0; left--) made.turns(leafId, length);
  return made.session(made.turns(leafId, 1));
}

/** So many turns, so many compactions on the trunk, and at each second one a branch whose summary stands on the trunk. */
export function compactedSession(turns = 800, compactions = 40): GraphSession {
  const made = new Maker();
  const every = Math.max(2, Math.floor(turns / compactions));
  let leafId = made.turns(null, 1);
  let count = 1;
  for (let n = 0; n < compactions && count < turns; n++) {
    const stretch = Math.min(every - 2, turns - count);
    leafId = made.turns(leafId, Math.max(1, stretch));
    count += Math.max(1, stretch);
    if (n % 2 === 1) {
      const end = made.turns(leafId, 2);
      count += 3;
      leafId = made.turns(leafId, 1);
      leafId = made.add('s', leafId, 'branchSummary', { fromId: end, broughtOver: true });
    }
    leafId = made.add('c', leafId, 'compaction');
  }
  return made.session(made.turns(leafId, Math.max(1, turns - count)));
}

/** What people called useless elsewhere: so many turns and few branches of them, spread over the trunk. */
export function fieldSession(turns = 300, branches = 9, length = 8): GraphSession {
  const made = new Maker();
  const trunk = turns - branches * length;
  const every = Math.floor(trunk / (branches + 1));
  let leafId = made.turns(null, 1);
  for (let turn = 1; turn < trunk; turn++) {
    if (turn % every === 0 && turn / every <= branches) made.turns(leafId, length);
    leafId = made.turns(leafId, 1);
  }
  return made.session(leafId);
}

interface JournalOptions {
  id?: string;
  /** What a message says; default: the name of its entry. */
  textOf?: (row: Row) => string;
}

/** The journal of such a session: prompts and answers, and HEAD where it is. */
export function journalOf({ entries, leafId }: GraphSession, options: JournalOptions = {}): string[] {
  const { id: sessionId = 'graph', textOf = nameOf } = options;
  const time = (row: number): string => new Date(Date.UTC(2026, 9, 1, 9) + row * 60_000).toISOString();
  const header = { type: 'session', version: 3, id: sessionId, timestamp: time(0), cwd: '' };
  const lines = entries.map((row) => {
    const { id, parentId, seq } = row;
    return JSON.stringify({ ...bodyOf(row, textOf), id, parentId, timestamp: time(seq) });
  });
  const leaf = { type: 'custom', customType: 'espalier.leaf', data: { leafId, reason: 'navigate' } };
  const last = { ...leaf, id: 'leaf', parentId: leafId, timestamp: time(entries.length + 1) };
  return [JSON.stringify(header), ...lines, JSON.stringify(last)];
}

const nameOf = ({ id, kind }: Row): string => (kind === 'user' ? `Question ${id}` : `Answer ${id}`);

function bodyOf(row: Row, textOf: (row: Row) => string): Record<string, unknown> {
  const { id, kind, parentId, fromId } = row;
  if (kind === 'compaction') {
    return {
      type: 'compaction',
      summary: `## Goal\nWhat came before ${id}`,
      firstKeptEntryId: parentId,
      tokensBefore: 90_000,
    };
  }
  if (kind === 'branchSummary')
    return {
      type: 'branch_summary',
      summary: `What came of ${fromId}`,
      fromId,
      details: { espalier: { broughtOver: true } },
    };
  const content = [{ type: 'text', text: textOf(row) }];
  if (kind === 'user') return { type: 'message', message: { role: 'user', content, timestamp: 1 } };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const source = { api: 'openai-completions', provider: 'elsewhere', model: 'some-model' };
  return {
    type: 'message',
    message: { role: 'assistant', content, ...source, usage, stopReason: 'stop', timestamp: 1 },
  };
}
