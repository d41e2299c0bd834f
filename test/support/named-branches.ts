import { writeFileSync } from 'node:fs';

/** A session whose branches have labels, costs, files, and one of each state: for the list of branches and for Compare. */
export interface NamedBranches {
  lines: string[];
  /** Entry of the first prompt, and of the end, by name. */
  first: Record<string, string>;
  leaf: Record<string, string>;
  /** US dollars of all replies and titles. */
  cost: number;
  /** What is in no branch. */
  other: number;
  turns: number;
}

const START = Date.UTC(2026, 10, 20, 9);
const MINUTE = 60_000;

interface Said {
  prompt: string;
  answer: string;
  cost: number;
  /** Files that it edits: path, and what is added in the place of one line. */
  edits?: readonly (readonly [string, readonly string[]])[];
  /** A command that ends so. */
  exit?: number;
}

export const ENQUEUE = 'src/queue/enqueue.ts';
export const ANSWERS = {
  outbox:
    'Two steps then: write to both, read from the outbox, and drop in a later migration. The dual write goes in first; both inserts share one transaction, so a crash can’t leave them apart.',
  batches:
    'Collect the jobs of a request and insert them 500 at a time. That halves the round trips, but jobs of one request can land in two transactions, and a crash between them loses the second batch.',
} as const;

const OUTBOX: Said = {
  prompt: 'Write to both tables first',
  answer: ANSWERS.outbox,
  cost: 0.38,
  edits: [
    [ENQUEUE, ['await tx.insert(outbox).values(toOutbox(job))', 'await tx.insert(jobs).values(job)']],
    ['src/queue/outbox.ts', Array.from({ length: 31 }, (_, at) => `export const column${at} = ${at}`)],
    ['migrations/0042_outbox.sql', ['create table outbox (', '  id bigint', ')']],
  ],
};
const BATCHES: readonly Said[] = [
  {
    prompt: 'Insert the jobs in batches of 500',
    answer: 'I will collect them first.',
    cost: 0.05,
    edits: [
      [ENQUEUE, ['buffer.push(job)', 'if (buffer.length < 500) return', 'await tx.insert(jobs).values(flush(buffer))']],
    ],
    exit: 1,
  },
  { prompt: 'Is that safe in a crash?', answer: ANSWERS.batches, cost: 0.07 },
];

/** `many`: further branches of two turns each. */
export function namedBranches(many = 0): NamedBranches {
  const lines = [JSON.stringify({ type: 'session', version: 3, id: 'named', timestamp: at(0), cwd: '' })];
  const made: NamedBranches = { lines, first: {}, leaf: {}, cost: 0, other: 0, turns: 0 };
  let count = 0;
  const add = (parentId: string | null, entry: Record<string, unknown>): string => {
    const id = (++count).toString(16).padStart(8, '0');
    lines.push(JSON.stringify({ ...entry, id, parentId, timestamp: at(count) }));
    return id;
  };
  const say = (
    parentId: string | null,
    { prompt, answer, cost, edits = [], exit }: Said,
  ): { first: string; leaf: string } => {
    const first = add(parentId, message({ role: 'user', content: prompt }));
    let leaf = first;
    const calls = edits.map(([path, lines], n) => ({ id: `call-${count}-${n}`, path, lines }));
    const command = exit === undefined ? [] : [{ type: 'toolCall', id: `run-${count}`, name: 'bash', arguments: { command: 'npm test -- queue' } }]; // prettier-ignore
    if (calls.length + command.length > 0) {
      const blocks = calls.map(({ id, path, lines }) => ({ type: 'toolCall', id, name: 'edit', arguments: { path, oldText: 'x', newText: lines.join('\n') } })); // prettier-ignore
      leaf = add(leaf, message(reply([...blocks, ...command], 0, 'toolUse')));
      for (const { id, path, lines } of calls) leaf = add(leaf, message(changed(id, path, lines)));
      for (const { id } of command) leaf = add(leaf, message(ended(id, exit ?? 0)));
    }
    leaf = add(leaf, message(reply([{ type: 'text', text: answer }], cost, 'stop')));
    made.cost += cost;
    made.turns += 1;
    return { first, leaf };
  };
  const branch = (name: string, parentId: string, said: readonly Said[], label = true): void => {
    let leaf = parentId;
    for (const [n, turn] of said.entries()) {
      const done = say(leaf, turn);
      if (n === 0) made.first[name] = done.first;
      leaf = done.leaf;
    }
    made.leaf[name] = leaf;
    if (label) add(leaf, { type: 'label', targetId: made.first[name], label: name });
  };
  const plain = (prompt: string, cost: number): Said => ({ prompt, answer: `About ${prompt}: it can be done.`, cost });

  const start = say(null, plain('Where are jobs written?', 0.2));
  const fork = say(start.leaf, plain('Keep the old table readable until Friday', 0.3));
  made.first.trunk = start.first;
  branch('leave it', fork.leaf, [plain('Leave it as it is', 0.03), plain('And document why', 0)]);
  branch('triggers', fork.leaf, [plain('Use triggers instead', 0.1), plain('Also for updates', 0.04)]);
  branch('batches of 500', fork.leaf, BATCHES);
  // Named by a model: what was paid for it is in no branch.
  branch('COPY', fork.leaf, [plain('Stream them in with COPY', 0.04), plain('What does it cost?', 0.02)], false);
  const title = { v: 1, targetId: made.first.COPY, title: 'COPY from stdin', model: 'p/m', cost: 0.02 };
  add(made.leaf.COPY ?? null, { type: 'custom', customType: 'espalier.title', data: title });
  made.other = 0.02;
  made.cost += made.other;
  // One turn alone would be a variant, and stand in a stack.
  for (let n = 1; n <= many; n++) branch(`way ${n}`, fork.leaf, [plain(`Try way ${n}`, 0.01), plain('And on', 0.01)]);
  branch('outbox table', fork.leaf, [OUTBOX]);
  const head = made.leaf['outbox table'] ?? null;
  add(head, { type: 'custom', customType: 'espalier.archive', data: { v: 1, targetId: made.first['leave it'], archived: true } }); // prettier-ignore
  made.leaf.HEAD = add(head, {
    type: 'branch_summary',
    fromId: made.leaf.triggers,
    summary: 'Triggers were tried.',
    details: {
      readFiles: [],
      modifiedFiles: [],
      espalier: { v: 1, reason: 'bringOver', broughtOver: true, cost: 0.01 },
    },
  });
  made.cost += 0.01;
  return made;
}

export function writeNamedBranches(path: string, many = 0): NamedBranches {
  const made = namedBranches(many);
  writeFileSync(path, `${made.lines.join('\n')}\n`);
  return made;
}

const at = (n: number): string => new Date(START + n * MINUTE).toISOString();
const message = (body: Record<string, unknown>): Record<string, unknown> => ({ type: 'message', message: body });

function reply(content: Record<string, unknown>[], total: number, stopReason: string): Record<string, unknown> {
  const cost = { input: 0, output: total, cacheRead: 0, cacheWrite: 0, total };
  const usage = { input: 100, output: 50, cacheRead: 0, cacheWrite: 0, totalTokens: 150, cost };
  return { role: 'assistant', content, provider: 'elsewhere', model: 'some-model', usage, stopReason };
}

function changed(toolCallId: string, path: string, lines: readonly string[]): Record<string, unknown> {
  const diff = ['@@ -1,2 +1,2 @@', ' export async function enqueue(tx: Tx, job: Job)', '-  await tx.insert(jobs).values(job)', ...lines.map((line) => `+  ${line}`)]; // prettier-ignore
  const details = { path, diff: diff.join('\n'), added: lines.length, removed: 1, created: false };
  return { role: 'toolResult', toolCallId, toolName: 'edit', isError: false, content: text('Edited.'), details };
}

function ended(toolCallId: string, exitCode: number): Record<string, unknown> {
  const details = { exitCode, ending: 'exit', durationMs: 900, failed: exitCode !== 0 };
  return { role: 'toolResult', toolCallId, toolName: 'bash', isError: exitCode !== 0, content: text(`exit code ${exitCode}`), details }; // prettier-ignore
}

const text = (words: string) => [{ type: 'text', text: words }];
