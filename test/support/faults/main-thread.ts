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
  long: LongTask[];
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
  args?: { data?: { functionName?: string; url?: string; lineNumber?: number; columnNumber?: number } };
}

const TASK = 'RunTask';
const CATEGORIES = ['blink.user_timing', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
/** How a mark of the page begins that says what is on screen. */
export const MARK = 'seen:';

/** Watches the main thread of a window through its tracing. */
export class MainThread {
  private events: TraceEvent[] = [];

  private constructor(private readonly devtools: CDPSession) {}

  static async start(page: Page): Promise<MainThread> {
    const thread = new MainThread(await page.context().newCDPSession(page));
    thread.devtools.on('Tracing.dataCollected', ({ value }) => {
      for (const event of value as unknown as TraceEvent[]) thread.events.push(event);
    });
    await thread.devtools.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { recordMode: 'recordContinuously', includedCategories: CATEGORIES, excludedCategories: ['*'] },
    });
    return thread;
  }

  /** Ends it. `long`: the tasks above the limit. */
  async stop(limitMs: number): Promise<Watched> {
    const complete = new Promise<unknown>((resolve) => this.devtools.once('Tracing.tracingComplete', resolve));
    await this.devtools.send('Tracing.end');
    await complete;
    await this.drop();
    return tasksOf(this.events, limitMs);
  }

  /** Lets go of the window. */
  async drop(): Promise<void> {
    await this.devtools.detach().catch(() => undefined);
  }
}

/** Where the code of a call stands, if the trace says so. */
function placeOf({ args }: TraceEvent): string {
  const { functionName = '', url, lineNumber = 0, columnNumber = 0 } = args?.data ?? {};
  return url ? ` (${functionName} ${url.split('/').at(-1) ?? ''}:${lineNumber}:${columnNumber})` : '';
}

function tasksOf(events: readonly TraceEvent[], limitMs: number): Watched {
  const marks = events.filter(({ name }) => name.startsWith(MARK)).sort((a, b) => a.ts - b.ts);
  const [first] = marks;
  if (!first) throw new Error('The trace holds no mark of the page.');
  const own = events.filter(({ pid, tid }) => pid === first.pid && tid === first.tid);
  const tasks = own.filter(({ name, ph }) => name === TASK && ph === 'X');
  if (tasks.every(({ tdur }) => !tdur)) throw new Error('The trace holds no processor time.');
  const msOf = ({ tdur = 0 }: TraceEvent): number => tdur / 1_000;
  const long = tasks
    .filter((task) => msOf(task) > limitMs)
    .map((task) => {
      const end = task.ts + (task.dur ?? 0);
      const inside = own.filter((event) => event !== task && event.ph === 'X' && event.ts >= task.ts && event.ts < end);
      const most = inside
        .sort((a, b) => msOf(b) - msOf(a))
        .slice(0, 4)
        .map((event) => `${event.name} ${Math.round(msOf(event))}${placeOf(event)}`);
      const mark = marks.find(({ ts }) => ts >= task.ts) ?? marks.at(-1);
      return { ms: Math.round(msOf(task)), most: most.join(', '), mark: mark?.name.slice(MARK.length) ?? '' };
    });
  return { long, tasks: tasks.length, longestMs: tasks.reduce((most, task) => Math.max(most, msOf(task)), 0) };
}
