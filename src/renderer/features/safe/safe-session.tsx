import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { escapeInvisible } from '@shared/policy/url';
import type { Row } from '@shared/session-state/state';
import type { SessionEntry } from '@shared/session/records/entry';
import type { Bootstrap } from '@shared/types';
import { ActionButton } from '../../parts/action-button';
import { useStretch } from '../../parts/use-stretch';
import { plural } from '../../state/format';
import { useApp, useSummary, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { shownTitle } from '../../state/sessions-store';
import { Button, ErrorBoundary } from '../../ui';
import styles from './safe.module.css';

/** So long a session stands on screen before it counts as drawn. */
const REST_MS = 2_000;

/** Tells main when a session has been on screen for a while and the page still answers. */
export function useRest(session: OpenSession): void {
  const { client } = useApp();
  const isShown = useView(session, (view) => view.status !== 'loading');
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(() => {
      client.request('app.drawing', { sessionId: session.id, state: 'rests' }).catch(() => undefined);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [client, session, isShown]);
}

/** Characters of an entry that are shown. */
const MOST = 4_000;
const estimate = (): number => 160;
const keyOf = (row: Row): string => row.id;

/** A session as plain text: no markdown, no pictures, no cards, no graph. For a session that can't be drawn as usual. */
export function SafeSession({ session }: { session: OpenSession }) {
  const app = useApp();
  const summary = useSummary(session.id);
  const rows = useView(session, (view) => view.rows);
  const problem = useView(session, (view) => (view.status === 'failed' ? view.problem : null));
  useView(session, (view) => view.entriesVersion);
  useRest(session);
  useEffect(() => void session.loadOlder(), [session]);
  const scroller = useRef<HTMLDivElement>(null);
  const stretch = useStretch({ items: rows, keyOf, estimate });
  const shown = stretch.items;
  const list = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: estimate,
    getItemKey: useCallback((index: number) => shown[index]?.id ?? index, [shown]),
    overscan: 2,
    anchorTo: 'end',
  });
  useLayoutEffect(() => stretch.settle(list));
  // People read at the end.
  const hasRows = rows.length > 0;
  useLayoutEffect(() => {
    if (hasRows) list.scrollToEnd();
  }, [list, hasRows]);
  const items = list.getVirtualItems();
  const wanted = items.map(({ index }) => shown[index]?.id ?? '').join();
  useEffect(() => void session.loadEntries(wanted.split(',').filter(Boolean)), [session, wanted]);
  const openAsUsual = (): void => app.ui.setState({ safeSession: null });
  return (
    <section className={styles.safe} aria-label="Session as plain text" data-pane="transcript">
      <header className={styles.head}>
        <h1>{summary ? shownTitle(summary) : 'Session'}</h1>
        <span className={styles.note}>Shown as plain text</span>
        <ActionButton id="session.export" target={session} size="small" />
        <Button size="small" onClick={openAsUsual}>
          Open normally
        </Button>
      </header>
      {problem && <p className={styles.problem}>{problem}</p>}
      <div ref={scroller} className={styles.scroller} tabIndex={0} aria-label="Entries" data-safe>
        <div className={styles.sizer} style={{ height: list.getTotalSize() }}>
          {items.map(({ key, index, start }) => {
            const row = shown[index];
            const entry = row && session.entry(row.id);
            return (
              row && (
                <article
                  key={key}
                  ref={list.measureElement}
                  data-index={index}
                  data-entry={row.id}
                  className={styles.entry}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <ErrorBoundary inputs={[entry]} fallback={() => <pre>(can’t be shown as text)</pre>}>
                    <PlainEntry kind={row.kind} entry={entry} />
                  </ErrorBoundary>
                </article>
              )
            );
          })}
        </div>
      </div>
    </section>
  );
}

function PlainEntry({ kind, entry }: { kind: string; entry: SessionEntry | undefined }) {
  const text = entry ? textOf(entry) : '…';
  const left = text.length - MOST;
  return (
    <>
      <h2>{kind}</h2>
      <pre>
        {text.slice(0, MOST).split('\n').map(escapeInvisible).join('\n')}
        {left > 0 && `\n… ${plural(left, 'more character')}. Export the session to read them.`}
      </pre>
    </>
  );
}

/** The words of an entry where it has some, else what it is made of. */
function textOf(entry: SessionEntry): string {
  const { message, summary } = entry as { message?: { content?: unknown }; summary?: unknown };
  if (typeof summary === 'string') return summary;
  const content = message?.content;
  if (typeof content === 'string') return content;
  const words = Array.isArray(content) ? content.map(wordsOf).filter((text) => text !== '') : [];
  return words.length > 0 ? words.join('\n\n') : JSON.stringify(entry, null, 2);
}

function wordsOf(block: unknown): string {
  if (block === null || typeof block !== 'object') return '';
  const { text, thinking, name, arguments: args } = block as Record<string, unknown>;
  if (typeof text === 'string') return text;
  if (typeof thinking === 'string') return `(thinking) ${thinking}`;
  if (typeof name === 'string') return `(call) ${name} ${JSON.stringify(args ?? {})}`;
  return '';
}

type AfterBlank = NonNullable<Bootstrap['afterBlank']>;

const WHY = new Map<AfterBlank['reason'], string>([
  ['blank', 'the window stayed blank'],
  ['gone', 'the window’s process crashed'],
  ['hang', 'the window stopped answering'],
]);

function whatHappened(reason: AfterBlank['reason'], name: string): string {
  return reason === 'twice'
    ? `Espalier closed twice soon after ${name} was opened`
    : `The last time ${name} was opened, ${WHY.get(reason)}`;
}

/** In the place of the last session, when that ended the window: says why, and what can be done with it. */
export function AfterBlankPage({ afterBlank }: { afterBlank: AfterBlank }) {
  const app = useApp();
  const { sessionId } = afterBlank;
  const session = useSummary(sessionId);
  return (
    <section className={styles.page} aria-labelledby="after-blank">
      <h2 id="after-blank">The last session was not opened</h2>
      <p>
        {whatHappened(afterBlank.reason, session ? `“${shownTitle(session)}”` : 'it')}. Nothing was lost: it is
        unchanged on disk, and your other sessions open as usual.
      </p>
      <div className={styles.actions}>
        <Button tone="primary" onClick={() => app.openSafely(sessionId)}>
          Open as plain text
        </Button>
        <ActionButton id="session.export" target={{ id: sessionId }}>
          Export…
        </ActionButton>
        <Button onClick={() => app.activate(sessionId)}>Open normally</Button>
        <ActionButton id="session.new" target={null} />
      </div>
    </section>
  );
}
