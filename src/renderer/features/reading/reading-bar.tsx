import { type ReactNode, useEffect, useReducer } from 'react';
import { Eye } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import { act, verdictOn } from '../../actions/menus';
import { sessionTitle, wordsOf } from '../../actions/reading';
import { compare } from '../../actions/compare';
import { ActionButton } from '../../parts/action-button';
import { useBranchName, useVariant } from '../../parts/branch-name';
import { nameFrom } from '../../state/branch-names';
import { formatAgoInWords, formatTokens, plural } from '../../state/format';
import { useApp, useBusy, useLive, useReading, useSession, useSituation, useUi, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import type { ReadingPath } from '../../state/reading-path';
import { workSince } from '../../state/work-since';
import { Button, Kbd } from '../../ui';
import styles from './reading.module.css';

/** Above a path that is read: what it is, the way to it for HEAD, and the way back (GR12). */
export function ReadingBar() {
  const session = useSession();
  const path = useReading(session, (reading) => reading.path);
  useFollowsArrivals(session);
  return path && <Bar path={path} />;
}

function Bar({ path }: { path: ReadingPath }) {
  const app = useApp();
  const session = useSession();
  const { firstId, turns, tokens, leftAt } = path;
  useBodies(session, [firstId, path.sharedPromptId]);
  const known = useBranchName(session, path.entryId);
  const name = known ?? (firstId === null ? '' : nameFrom(session, firstId));
  const variant = useVariant(session, path.leafId);
  const headId = useLive(session, (live) => live.leafId);
  const facts = [plural(turns, 'turn'), `${formatTokens(tokens)} tokens`];
  const waits = useWaits(session);
  if (leftAt > 0) facts.push(`left ${formatAgoInWords(leftAt, app.now())}`);
  return (
    <div className={styles.bar} role="region" aria-label="Reading another branch" data-reading={path.leafId}>
      <Eye size={15} aria-hidden className={styles.eye} />
      <span className={styles.name}>
        Reading <b dir="auto">‹{visibleString(name) || '…'}›</b>
        {variant !== null && ` ${variant}`}
      </span>
      {/* A fact for which there is no room is left out whole. */}
      <span className={styles.facts}>
        {waits !== null && <span id={WAITS_ID}>{WAITS}</span>}
        {facts.map((fact, at) => (
          <span key={fact}>{at === 0 && waits === null ? fact : ` · ${fact}`}</span>
        ))}
      </span>
      <span className={styles.end}>
        <Go waits={waits} />
        {headId !== null && (
          <Button size="small" onClick={() => compare(app, { sessionId: session.id, a: headId, b: path.leafId })}>
            Compare
          </Button>
        )}
        <Button size="small" onClick={() => act(app, 'reading.back', session)}>
          Back <Kbd>Esc</Kbd>
        </Button>
      </span>
    </div>
  );
}

/** Why HEAD can't go there now; null: it can. */
function useWaits(session: OpenSession): string | null {
  const app = useApp();
  useSituation(session.id);
  const verdict = verdictOn(app, 'reading.go', session);
  return typeof verdict === 'object' ? verdict.text : null;
}

/** Where HEAD can't go now, it says why before anybody presses. */
function Go({ waits }: { waits: string | null }) {
  const app = useApp();
  const session = useSession();
  return (
    <Button
      tone="primary"
      size="small"
      aria-disabled={waits !== null || undefined}
      aria-describedby={waits === null ? undefined : WAITS_ID}
      title={waits ?? 'HEAD goes to the end of this branch'}
      onClick={() => act(app, 'reading.go', session)}
    >
      Go here <Kbd>⏎</Kbd>
    </Button>
  );
}

const WAITS = 'HEAD can go when the agent rests';
const WAITS_ID = 'reading-waits';

/** Above the composer while a path is read and the agent works: what HEAD does, and the way to it (GR12). */
export function HeadLine() {
  const session = useSession();
  const isRead = useReading(session, ({ path }) => path !== null);
  const isBusy = useBusy(session.id);
  return isRead && isBusy ? <Working /> : null;
}

function Working() {
  const app = useApp();
  const session = useSession();
  const headId = useLive(session, (live) => live.leafId);
  const name = useBranchName(session, headId) ?? sessionTitle(app, session.id);
  const isAsked = useLive(session, (live) => live.approvals.length > 0);
  const prompt = useView(session, ({ rows }) => rows.findLast(({ kind }) => kind === 'user'));
  const since = useLive(session, (live) => (prompt ? workSince(live, prompt, session.graph.graph) : null));
  useBodies(session, [prompt?.id ?? null]);
  return (
    <div className={styles.head}>
      <i className={styles.pulse} data-asks={isAsked || undefined} aria-hidden />
      <span className={styles.headText}>
        {isAsked ? 'HEAD waits for your answer on' : 'HEAD is still working on'} ‹<bdi>{visibleString(name)}</bdi>›:{' '}
        <b dir="auto">{visibleString(wordsOf(session, prompt?.id ?? null))}</b>
        {since !== null && <Elapsed since={since} />}
      </span>
      <ActionButton id="turn.watch" target={session} tone="link" />
    </div>
  );
}

const TICK_MS = 1000;

/** `· 0:42`, counting. */
function Elapsed({ since }: { since: number }): ReactNode {
  const app = useApp();
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((app.now() - since) / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const clock = [
    ...(hours > 0 ? [hours, String(minutes).padStart(2, '0')] : [minutes]),
    String(seconds % 60).padStart(2, '0'),
  ];
  return <span className={styles.clock}> · {clock.join(':')}</span>;
}

/** Brings messages into memory that are named here, and draws again when they are. */
function useBodies(session: OpenSession, ids: readonly (string | null)[]): void {
  const version = useView(session, (view) => view.entriesVersion);
  const wanted = ids.filter((id): id is string => id !== null && !session.entry(id)).join(' ');
  useEffect(() => {
    if (wanted !== '') void session.loadEntries(wanted.split(' '));
  }, [session, wanted, version]);
}

/** What is to be seen of HEAD is not on the path that is read: HEAD's is shown then. */
function useFollowsArrivals({ id, reading }: OpenSession): void {
  const arrival = useUi((ui) => (ui.arrival?.sessionId === id ? ui.arrival : null));
  useEffect(() => {
    if (arrival && arrival.isRead !== true) reading.leave();
  }, [arrival, reading]);
}
