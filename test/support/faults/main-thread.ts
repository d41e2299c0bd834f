import type { CDPSession, Page } from '@playwright/test';

/** A task of the window's main thread. */
interface LongTask {
  /** Processor time, so that a busy machine makes no task long. */
  ms: number;
  /** What took most of it. */
  most: string;
  /** The mark (`performance.mark`) that was set next after it, or the last one. */
  mark: string;
}

/** What a window's main thread did while it was watched. */
export interface Watched {
  /** How many tasks there were. */
  tasks: number;
  longestMs: number;
  /** The tasks above the limit, which is `slowness` times as high as it was asked for. */
  long: LongTask[];
  /** How much longer than on the machine of the bars the same work takes in this window, by its yardstick; at least 1. */
  slowness: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds on the clock. */
  ts: number;
  dur?: number;
  /** Microseconds of the processor. */
  tdur?: number;
  args?: { data?: { functionName?: string; url?: string; lineNumber?: number; columnNumber?: number; type?: string } };
}

const TASK = 'RunTask';
const CATEGORIES = ['blink.user_timing', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
/** How a mark of the page begins that says what is on screen. */
export const MARK = 'seen:';
/** The mark within a task that does the fixed work by which the machine is measured. */
const YARDSTICK = 'yardstick';
const YARDSTICK_TIMES = 11;
/** What that work takes where the bars were set, in milliseconds of the processor: for many small messages, and with one of a megabyte. */
const YARDSTICK_MS = { small: 12, large: 20 };

/** The yardstick runs in the watched window: what slows all of it down must not raise its own limit without end. */
const MOST_SLOWNESS = 4;

/** What the watched work moves: the memory of a large message costs some machines ten times what it costs others. */
export type Moved = keyof typeof YARDSTICK_MS;

/** Watches the main thread of a window through its tracing. */
export class MainThread {
  private events: TraceEvent[] = [];

  private constructor(
    private readonly page: Page,
    private readonly devtools: CDPSession,
  ) {}

  static async start(page: Page): Promise<MainThread> {
    const thread = new MainThread(page, await page.context().newCDPSession(page));
    thread.devtools.on('Tracing.dataCollected', ({ value }) => {
      for (const event of value as unknown as TraceEvent[]) thread.events.push(event);
    });
    await thread.devtools.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { recordMode: 'recordContinuously', includedCategories: CATEGORIES, excludedCategories: ['*'] },
    });
    return thread;
  }

  /**
   * Ends it. A limit is one of a machine: on a slower one the same code needs more of its processor, and so does the yardstick, which
   * raises the limit. A faster one lowers none.
   */
  async stop(limitMs: number, moved: Moved = 'small'): Promise<Watched> {
    await this.page.evaluate(yardstick, { mark: YARDSTICK, times: YARDSTICK_TIMES, moved });
    const complete = new Promise<unknown>((resolve) => this.devtools.once('Tracing.tracingComplete', resolve));
    await this.devtools.send('Tracing.end');
    await complete;
    await this.drop();
    return tasksOf(this.events, limitMs, YARDSTICK_MS[moved]);
  }

  /** Lets go of the window. */
  async drop(): Promise<void> {
    await this.devtools.detach().catch(() => undefined);
  }
}

/** Where the code of a call stands, or which event was dispatched, if the trace says so. */
function placeOf({ args }: TraceEvent): string {
  const { functionName = '', url, lineNumber = 0, columnNumber = 0, type } = args?.data ?? {};
  if (type) return ` (${type})`;
  return url ? ` (${functionName} ${url.split('/').at(-1) ?? ''}:${lineNumber}:${columnNumber})` : '';
}

function tasksOf(events: readonly TraceEvent[], limitMs: number, yardstickMs: number): Watched {
  const marks = events.filter(({ name }) => name.startsWith(MARK)).sort((a, b) => a.ts - b.ts);
  const [first] = marks;
  if (!first) throw new Error('The trace holds no mark of the page.');
  const own = events.filter(({ pid, tid }) => pid === first.pid && tid === first.tid);
  const all = own.filter(({ name, ph }) => name === TASK && ph === 'X');
  if (all.every(({ tdur }) => !tdur)) throw new Error('The trace holds no processor time.');
  const measured = own.filter(({ name }) => name === YARDSTICK);
  const isYardstick = ({ ts, dur = 0 }: TraceEvent): boolean =>
    measured.some((mark) => mark.ts >= ts && mark.ts < ts + dur);
  const slowness = Math.min(MOST_SLOWNESS, Math.max(1, middle(all.filter(isYardstick).map(msOf)) / yardstickMs));
  const tasks = all.filter((task) => !isYardstick(task));
  const long = tasks
    .filter((task) => msOf(task) > limitMs * slowness)
    .map((task) => {
      const end = task.ts + (task.dur ?? 0);
      const inside = own.filter((event) => event !== task && event.ph === 'X' && event.ts >= task.ts && event.ts < end);
      const most = inside
        .sort((a, b) => msOf(b) - msOf(a))
        .slice(0, 6)
        .map((event) => `${event.name} ${Math.round(msOf(event))}${placeOf(event)}`);
      const mark = marks.find(({ ts }) => ts >= task.ts) ?? marks.at(-1);
      return { ms: Math.round(msOf(task)), most: most.join(', '), mark: mark?.name.slice(MARK.length) ?? '' };
    });
  const longestMs = tasks.reduce((most, task) => Math.max(most, msOf(task)), 0);
  return { long, tasks: tasks.length, longestMs, slowness };
}

function msOf({ tdur = 0 }: TraceEvent): number {
  return tdur / 1_000;
}

function middle(values: readonly number[]): number {
  const value = [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  if (value === undefined) throw new Error('The trace holds no yardstick.');
  return value;
}

/** Runs in the page: what a window does with a message, of fixed size, each time in a task of its own. */
async function yardstick({ mark, times, moved }: { mark: string; times: number; moved: Moved }): Promise<void> {
  const text = JSON.stringify(
    Array.from({ length: 2_000 }, (_, index) => ({ id: `e${index}`, text: '# a\n"b"\n'.repeat(12) })),
  );
  const large = JSON.stringify({ line: moved === 'large' ? '# a\n'.repeat(250_000) : '' });
  const work = (): void => {
    performance.mark(mark);
    // Received, passed on, put into the database and read again, a message is copied about as often.
    const { line } = JSON.parse(large) as { line: string };
    for (let copies = 0; copies < 8; copies += 1) structuredClone(line);
    const rows = JSON.parse(text) as { id: string; text: string }[];
    const byId = new Map(rows.map((row) => [row.id, row]));
    const holder = document.createElement('div');
    holder.style.cssText = 'position:absolute;width:600px;visibility:hidden;contain:strict';
    for (let index = 0; index < 250; index += 1) {
      const row = holder.appendChild(document.createElement('p'));
      row.textContent = byId.get(`e${index}`)?.text ?? '';
    }
    document.body.append(holder);
    void holder.offsetHeight;
    holder.remove();
  };
  for (let time = 0; time < times; time += 1) await new Promise<void>((done) => setTimeout(() => (work(), done()), 20));
}
