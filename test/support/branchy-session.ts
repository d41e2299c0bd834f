import { writeFileSync } from 'node:fs';
import type { SessionEntry } from '@shared/session/records/entry';

export interface BranchyOptions {
  /** Turns of the trunk and the branches together. */
  turns: number;
  branches: number;
  /** Compactions on the trunk. */
  compactions?: number;
  /** Labels on the trunk. */
  labels?: number;
  /** Turns of a branch; default: a share of all, at most 12. */
  branchLength?: number;
  /** Further branches, all out of one turn in the middle of the trunk. */
  fan?: number;
}

export interface BranchySession {
  lines: string[];
  /** Entry ids of the prompts of the trunk, oldest first. */
  trunk: string[];
  /** Of each branch: the prompt of the trunk that it leaves after, and its own prompts. */
  branches: { from: string; prompts: string[]; leafId: string }[];
  leafId: string;
}

const PROMPTS = [
  'Where are locks taken?',
  'Plan the migration',
  'Outbox table, dual write',
  'Keep the old table until Friday',
  'Index lock_until',
  'Dual write in enqueue',
  'Which queries notice the table?',
  'Write the test for a crash in between',
];
const ASIDES = ['Use triggers instead', 'Deadlock under load', 'Revert, write down why', 'Try advisory locks'];
const ANSWERS = [
  'Both writes share the transaction, so a crash can’t leave them apart.',
  'The worker still reads `jobs.lock_until` without an index.',
  'Two steps: write to both, read from the outbox.',
  'Three queries do. The reaper is the only one that matters.',
];
const FILES = ['src/queue/enqueue.ts', 'src/queue/worker.ts', 'db/042_outbox.sql', 'test/queue.test.ts'];
const MINUTE = 60_000;
const START = Date.UTC(2026, 9, 1, 9);

/** A session with branches, compactions, labels, tools and a failed reply; the same options give the same session. */
export function branchySession(options: BranchyOptions): BranchySession {
  const { turns, branches, compactions = 0, labels = 0, fan = 0 } = options;
  const branchLength =
    options.branchLength ?? Math.max(1, Math.min(12, Math.floor(turns / (4 * Math.max(1, branches)))));
  const trunkLength = Math.max(1, turns - branches * branchLength);
  const lines = [header()];
  const made: BranchySession = { lines, trunk: [], branches: [], leafId: '' };
  let count = 0;
  let leafId: string | null = null;

  const add = (parentId: string | null, entry: Record<string, unknown>): string => {
    const id = (++count).toString(16).padStart(8, '0');
    const timestamp = new Date(START + count * MINUTE).toISOString();
    lines.push(JSON.stringify({ ...entry, id, parentId, timestamp } as unknown as SessionEntry));
    return id;
  };
  const turn = (parentId: string | null, text: string, n: number): { prompt: string; leaf: string } => {
    const prompt = add(parentId, message({ role: 'user', content: text, timestamp: 1 }));
    let last = prompt;
    if (n % 3 !== 1) {
      const callId = `call-${count}`;
      const path = FILES[n % FILES.length] as string;
      const args = n % 2 ? { path, oldText: 'a', newText: 'b' } : { command: 'npm test -- queue' };
      last = add(
        last,
        message(reply([{ type: 'toolCall', id: callId, name: n % 2 ? 'edit' : 'bash', arguments: args }])),
      );
      const result = {
        role: 'toolResult',
        toolCallId: callId,
        toolName: n % 2 ? 'edit' : 'bash',
        isError: false,
        timestamp: 1,
      };
      last = add(last, message({ ...result, content: [{ type: 'text', text: '48 passed' }] }));
    }
    const answer = ANSWERS[n % ANSWERS.length] as string;
    last = add(last, message(reply([{ type: 'text', text: `${answer} `.repeat(1 + (n % 5) * 6).trim() }])));
    return { prompt, leaf: last };
  };

  const every = (wanted: number): Set<number> =>
    new Set(Array.from({ length: wanted }, (_, at) => Math.floor(((at + 1) * trunkLength) / (wanted + 1))));
  const forks = every(branches);
  const cuts = every(compactions);
  const flags = every(labels);
  const ends: { leaf: string; at: number }[] = [];
  for (let at = 0; at < trunkLength; at++) {
    const text = `${PROMPTS[at % PROMPTS.length] as string}${at >= PROMPTS.length ? ` (${at + 1})` : ''}`;
    const { prompt, leaf } = turn(leafId, text, at);
    made.trunk.push(prompt);
    leafId = leaf;
    if (flags.has(at)) add(leafId, { type: 'label', targetId: prompt, label: `plan v${made.trunk.length}` });
    if (forks.has(at)) ends.push({ leaf, at });
    if (at === trunkLength >> 1) for (let n = 0; n < fan; n++) ends.push({ leaf, at });
    if (cuts.has(at)) leafId = compact(add, leafId, prompt, at);
  }
  ends.forEach(({ leaf, at }, nth) => {
    const branch = { from: made.trunk[at] as string, prompts: [] as string[], leafId: leaf };
    for (let n = 0; n < branchLength; n++) {
      const step = turn(branch.leafId, `${ASIDES[(nth + n) % ASIDES.length] as string} ${nth + 1}.${n + 1}`, nth + n);
      branch.prompts.push(step.prompt);
      branch.leafId = step.leaf;
    }
    made.branches.push(branch);
  });
  made.leafId = leafId ?? '';
  add(leafId, { type: 'custom', customType: 'espalier.leaf', data: { leafId, reason: 'navigate' } });
  return made;
}

export function writeBranchySession(path: string, options: BranchyOptions): BranchySession {
  const session = branchySession(options);
  writeFileSync(path, `${session.lines.join('\n')}\n`);
  return session;
}

function compact(
  add: (parent: string | null, entry: Record<string, unknown>) => string,
  leaf: string,
  kept: string,
  at: number,
): string {
  return add(leaf, {
    type: 'compaction',
    summary: '## Goal\nMigrate the job queue to an outbox table.',
    firstKeptEntryId: kept,
    tokensBefore: 148_200,
    details: { readFiles: [], modifiedFiles: FILES.slice(0, 2), espalier: { entriesSummarized: at * 3 } },
  });
}

const message = (body: Record<string, unknown>): Record<string, unknown> => ({ type: 'message', message: body });

function reply(content: Record<string, unknown>[]): Record<string, unknown> {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const source = { api: 'openai-completions', provider: 'elsewhere', model: 'some-model' };
  const stopReason = content.some((block) => block.type === 'toolCall') ? 'toolUse' : 'stop';
  return { role: 'assistant', content, ...source, usage, stopReason, timestamp: 1 };
}

function header(): string {
  return JSON.stringify({
    type: 'session',
    version: 3,
    id: 'branchy',
    timestamp: new Date(START).toISOString(),
    cwd: '',
  });
}
