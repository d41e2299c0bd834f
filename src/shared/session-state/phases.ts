/** What a session takes when (JB2, EV11): one table, which main obeys and the window shows. */
import type { SessionState } from '../types';
import type { LiveSession } from './state';

/** What the table knows apart: a job that nobody asked for gives way, and a reply that waits for the disk comes first. */
type Column = 'idle' | 'unsaved' | 'run' | 'autoJob' | 'manualJob' | 'rewriting' | 'stopping' | 'closing';

/** `navigate` stands for every change of the tree: go, undo, redo, edit, summarize again, clear. */
export type SessionRequest =
  'prompt' | 'sendQueued' | 'retry' | 'stop' | 'compact' | 'navigate' | 'handoff' | 'chooseModel';

/** Why not now; `hint` is the same in a menu, in a few words. */
export interface NotNow {
  text: string;
  hint: string;
}

/**
 * `queue`: it is kept and delivered in its turn. `stop-first`: what runs is ended for it. `save-first`: what waits for the disk is
 * written before. `join`: what runs does it. `skip`: there is nothing to do.
 */
export type Answer = 'allow' | 'queue' | 'stop-first' | 'save-first' | 'join' | 'skip' | NotNow;

const notNow = (text: string, hint: string): NotNow => ({ text, hint });

const AT_REST = 'when the agent has finished';
const ONCE_DONE = 'when the summary is finished';
const CLOSED = notNow('The session is closing.', 'when the session is open');
const NOT_SENT = notNow('The session is closing. Your message was not sent.', 'when the session is open');
const UNSAVED = notNow(
  'The last reply isn’t saved yet. Press Retry to save it, then continue.',
  'when the reply is saved',
);
const COMPACTING = notNow('Compaction already in progress', ONCE_DONE);
const NAVIGATING = notNow('Wait for the current tree navigation to finish.', ONCE_DONE);
const inRun = (doing: string): NotNow => notNow(`Wait for the current response to finish before ${doing}.`, AT_REST);
const inJob = (doing: string): NotNow =>
  notNow(`Wait for the current compaction or tree navigation to finish before ${doing}.`, ONCE_DONE);

const change = (doing: string): Record<Column, Answer> => ({
  ...{ idle: 'allow', unsaved: UNSAVED, run: inRun(doing), stopping: inRun(doing), closing: CLOSED },
  ...{ autoJob: inJob(doing), manualJob: inJob(doing), rewriting: inJob(doing) },
});
const always = (answer: Answer): Record<Column, Answer> => ({
  ...{ idle: answer, unsaved: answer, run: answer, autoJob: answer, manualJob: answer },
  ...{ rewriting: answer, stopping: answer, closing: CLOSED },
});

const TABLE: Record<SessionRequest, Record<Column, Answer>> = {
  prompt: { ...always('queue'), idle: 'allow', unsaved: 'save-first', closing: NOT_SENT },
  sendQueued: { ...always('queue'), idle: 'allow', unsaved: 'save-first' },
  retry: { ...always('skip'), idle: 'allow', unsaved: 'save-first', run: 'join', autoJob: 'join' },
  stop: { ...always('allow'), idle: 'skip', unsaved: 'skip', closing: 'skip' },
  compact: { ...always('stop-first'), idle: 'allow', unsaved: UNSAVED, manualJob: COMPACTING, rewriting: NAVIGATING },
  navigate: change('navigating the session tree'),
  handoff: change('handing off'),
  chooseModel: { ...always('allow'), rewriting: NAVIGATING },
};

/** What the table is asked about. */
export type Situation = Pick<LiveSession, 'phase' | 'job'> & {
  /** Something that was shown could not be stored yet. */
  isUnsaved: boolean;
};

export function answerTo(request: SessionRequest, situation: Situation): Answer {
  return TABLE[request][columnOf(situation)];
}

/** The situation of a session as the window knows it: what it shows at rest is a reply that could not be saved. */
export function situationOf({ phase, job, reply }: Pick<LiveSession, 'phase' | 'job' | 'reply'>): Situation {
  return { phase, job, isUnsaved: reply !== null };
}

/** All that the table goes by: while it stays the same, so does every answer. */
export function columnOf({ phase, job, isUnsaved }: Situation): Column {
  switch (phase) {
    case 'idle':
      return isUnsaved ? 'unsaved' : 'idle';
    case 'running':
    case 'waiting':
    case 'retrying':
      return 'run';
    case 'job':
      return job?.kind === 'compaction' && job.reason !== 'manual' ? 'autoJob' : 'manualJob';
    case 'rewriting':
    case 'stopping':
    case 'closing':
      return phase;
  }
}

/** The `session_state` of EV2. */
export function sessionStateOf(
  live: Pick<LiveSession, 'phase' | 'job' | 'failure' | 'extensionQuestions'>,
): SessionState {
  const { phase, job, failure } = live;
  // At rest too: a command of an extension may ask.
  if (live.extensionQuestions.length > 0 && phase !== 'closing') return 'waiting';
  const atRest = failure && !failure.stopped ? 'error' : 'idle';
  // A summary that the person is to accept.
  if (job?.phase === 'review' && (phase === 'job' || phase === 'rewriting')) return 'waiting';
  switch (phase) {
    case 'idle':
    case 'closing':
      return atRest;
    case 'running':
      return 'streaming';
    case 'waiting':
    case 'retrying':
      return phase;
    case 'job':
      return 'compacting';
    case 'rewriting':
      return job ? 'summarising' : atRest;
    case 'stopping':
      return !job ? 'streaming' : job.kind === 'compaction' ? 'compacting' : 'summarising';
  }
}
