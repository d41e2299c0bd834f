/** Figures of the benches and fault runs: what was measured, what it had to be, and whether it was. */

export interface Target {
  /** What the bound applies to: the value itself, or the ratio peer / value (how many times better than the peer). */
  on: 'value' | 'ratio';
  op: '<=' | '>=' | '=';
  bound: number;
}

/** What a case reports. It cannot say whether it passed: that follows from the target. */
export interface FigureInput {
  name: string;
  value: number;
  unit: string;
  /** The peer's (or the baseline's) value in the same unit, measured in the same run. */
  peer?: number | null;
  note?: string;
  target: Target;
  /** A time or an amount of memory: left out of `npm test`, because a busy machine is no fault of the code. */
  isOfMachine?: boolean;
}

/** One row of `test/results/bench.json` and `test/results/faults.json`. */
export interface Figure {
  issue: number;
  name: string;
  value: number;
  unit: string;
  peer: number | null;
  /** peer / value: for times and sizes, how many times less ours takes. Null without a peer or when value is 0. */
  ratio: number | null;
  target: string;
  pass: boolean;
  note: string;
}

export interface CaseContext {
  /** An empty folder of the case's own, removed after it. */
  scratch: string;
  /** True in `npm test`, where a case runs its short form. */
  isCi: boolean;
  /** Prints a line of progress. */
  log(line: string): void;
  /** Ends the case without figures, because it cannot run here. The reason is printed. */
  skip(reason: string): never;
}

export interface Case {
  name: string;
  /** What of the app it times, each as `src/…/file.ts:export` or `file.ts:export.member` (QD2). */
  times?: readonly string[];
  /** The issue whose bar this is. */
  issue: number;
  /** Whether `npm test` runs it too: cases in the real app. What needs no app is in the unit and integration tests. */
  ci?: boolean;
  /** After this many minutes the case counts as failed (default 30). */
  timeoutMinutes?: number;
  run(context: CaseContext): Promise<FigureInput[]>;
}

function holds(actual: number, { op, bound }: Target): boolean {
  if (op === '<=') return actual <= bound;
  return op === '>=' ? actual >= bound : actual === bound;
}

/** A figure that must be 0: losses, leaks, wrong answers. */
export function zero(name: string, value: number, unit: string, note = ''): FigureInput {
  return { name, value, unit, note, target: { on: 'value', op: '=', bound: 0 } };
}

/** Computes ratio and verdict. A figure that is not a number, or a ratio that cannot be formed, never passes. */
export function judge(issue: number, input: FigureInput): Figure {
  const { name, value, unit, peer = null, note = '', target } = input;
  const ratio = peer !== null && value > 0 ? peer / value : null;
  const actual = target.on === 'ratio' ? ratio : value;
  const bound = `${target.op} ${target.bound}`;
  return {
    issue,
    name,
    value,
    unit,
    peer,
    ratio,
    target: target.on === 'ratio' ? `ratio ${bound}` : `${bound} ${unit}`.trim(),
    pass: actual !== null && !Number.isNaN(actual) && holds(actual, target),
    note,
  };
}

/** The figure of a case that threw: one error where none may be. */
export function judgeError(testCase: Pick<Case, 'name' | 'issue'>, error: unknown): Figure {
  const note = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const target: Target = { on: 'value', op: '=', bound: 0 };
  return judge(testCase.issue, { name: testCase.name, value: 1, unit: 'errors', note, target });
}

/** Four significant digits, without exponent for ordinary sizes. */
function formatNumber(value: number | null): string {
  if (value === null) return '';
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

/** The figures as an aligned text table, notes last. */
export function formatTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.pass ? 'ok' : 'FAIL',
    `#${figure.issue}`,
    figure.name,
    `${formatNumber(figure.value)} ${figure.unit}`,
    formatNumber(figure.peer),
    figure.ratio === null ? '' : `${formatNumber(figure.ratio)}x`,
    figure.target,
    figure.note.split('\n')[0] ?? '',
  ]);
  const table = [['', 'issue', 'name', 'value', 'peer', 'ratio', 'target', 'note'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const format = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return table.map((row) => format(row).trimEnd()).join('\n');
}
