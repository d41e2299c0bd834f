/** How much extensions may show and ask (EX16). Characters, unless it says otherwise; what is longer is cut. */
export const BOUNDS = {
  name: 80,
  notice: 1_000,
  /** Toasts of one extension in one session that come at once; one more each second. */
  noticesAtOnce: 3,
  /** Failures of one extension in one session that are told; Settings lists all. */
  failures: 3,
  status: 200,
  statuses: 12,
  widgetLine: 400,
  widgetLines: 60,
  widgets: 8,
  key: 200,
  title: 200,
  working: 200,
  indicatorFrame: 100,
  indicatorFrames: 200,
  thinkingLabel: 100,
  completions: 20,
  completion: 10_000,
  questionTitle: 2_000,
  /** Open at a time in a session. */
  questions: 20,
  option: 500,
  options: 500,
  message: 20_000,
  placeholder: 200,
} as const;

/** What extensions show is told at most so often. Milliseconds. */
export const SHOW_EVERY_MS = 40;
