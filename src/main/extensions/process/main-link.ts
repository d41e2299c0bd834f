import { LastOnly } from './last-only';
import type { MainLink } from './links';
import { NoticeBound } from './notice-bound';
import { RateBound } from './rates';
import { type Rpc, wireError } from './rpc';

/** What an instance says after its session or its code was replaced. */
export const STALE = 'This extension context is stale: its session was closed, or the extension was loaded again.';

const TOO_MUCH = 'It told more than may be shown; what was told meanwhile is left out.';
const TOO_MANY = 'It shows more things at a time than there is room for; the others are left out.';
const TOO_MANY_FAULTS = 'More went wrong than is listed here; what went wrong meanwhile is left out.';

/** Dialogs and views of one extension in one session that wait at a time; main shows fewer. One more is as if it was closed. */
const MAX_ASKED = 100;
/** Of what goes wrong: so many at once, and so many a second. */
const FAULTS = 30;
const FAULTS_PER_SECOND = 2;

/** What goes wrong, bounded: what is left out is said once. */
export function boundedFaults(tell: (error: unknown) => void): (report: () => void) => void {
  const rate = new RateBound(() => tell(new Error(TOO_MANY_FAULTS)), FAULTS, FAULTS_PER_SECOND);
  return (report) => {
    if (rate.take()) report();
  };
}

export interface LinkParts {
  rpc: Pick<Rpc, 'call' | 'tell'>;
  from: { sessionId: string; extensionId: string };
  isOpen: () => boolean;
  registered: () => void;
}

/** The way of one extension in one session to main. What it shows and tells is held back here, where it comes from (EX16). */
export function linkToMain({ rpc, from, isOpen, registered }: LinkParts): MainLink {
  const problem = (event: string, error: unknown): void => rpc.tell('problem', { ...from, event, ...wireError(error) });
  const unlessMany = boundedFaults((error) => problem('its faults', error));
  const report = (event: string, error: unknown): void => {
    if (isOpen()) unlessMany(() => problem(event, error));
  };
  const tell = (method: string, args: readonly unknown[]): void => {
    if (isOpen()) rpc.tell('ui', { ...from, method, args });
  };
  const rate = new RateBound(() => report('ctx.ui', new Error(TOO_MUCH)));
  let saidFull = false;
  const shown = new LastOnly(() => {
    if (!saidFull) report('ctx.ui', new Error(TOO_MANY));
    saidFull = true;
  });
  const notices = new NoticeBound({
    tell: ({ text, level }) => tell('notify', [text, level]),
    tellLeftOut: (count) => tell('noticesLeftOut', [count]),
  });
  const settle = (): void => {
    notices.flush();
    shown.flush();
  };
  let asked = 0;
  const assertFresh = (): void => {
    if (!isOpen()) throw new Error(STALE);
  };
  return {
    assertFresh,
    registered,
    report,
    settle,
    ask: async (what, method, args, signal) => {
      assertFresh();
      if (what !== 'ui') return rpc.call(what, { ...from, method, args }, { signal });
      if (asked >= MAX_ASKED) return undefined;
      // What was said and shown before it stands there when the person reads it.
      settle();
      asked += 1;
      try {
        return await rpc.call(what, { ...from, method, args }, { signal });
      } finally {
        asked -= 1;
      }
    },
    notify: (text, level) => {
      assertFresh();
      notices.notify({ text, level });
    },
    tell: (_what, method, args) => {
      assertFresh();
      if (!rate.take()) return;
      // Nothing overtakes what was set before it.
      shown.flush();
      tell(method, args);
    },
    draw: (view, frame) => {
      if (isOpen()) rpc.tell('frame', { ...from, view, frame });
    },
    show: (key, method, args, isGone) => {
      assertFresh();
      shown.set(key, () => tell(method, args), isGone);
    },
  };
}
