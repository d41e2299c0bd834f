import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { CalendarClock, ChevronRight, Folder, Import, Inbox, Trash2 } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import type { SessionSummary } from '@shared/types';
import { act, actionOfKey, labelOf } from '../../actions/menus';
import { useKeys } from '../../parts/action-button';
import type { App } from '../../state/app-type';
import { formatPath, plural } from '../../state/format';
import { useApp, useSessions, useSettings } from '../../state/hooks';
import { groupSessions, type SessionGroup, workspaceNames } from '../../state/session-groups';
import { Button, cx, EmptyState, IconButton, Kbd, Visible } from '../../ui';
import { SessionRow } from './session-row';
import styles from './sessions.module.css';

const TICK_MS = 30_000; // times in the list show whole minutes

/** The current time in Unix milliseconds, renewed twice a minute. */
function useNow(app: App): number {
  const [now, setNow] = useState(app.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(app.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [app]);
  return now;
}

type Item =
  | { kind: 'group'; group: SessionGroup; isFirst: boolean }
  /** `folder`: the path of its workspace, where the head above says none. */
  | { kind: 'session'; session: SessionSummary; folder: string | null }
  /** Below the sessions that wait: the way to the next of them. */
  | { kind: 'next' }
  | { kind: 'deleted' }
  /** Nothing but what waits is listed: no title has what is looked for. */
  | { kind: 'none' };

const GROUP_HEIGHT = 34; // pixels
const ROW_HEIGHT = 49; // pixels

/** The sessions by workspace or time, newest first. Arrows walk, Enter opens, F2 renames, Delete moves to the trash. */
export function SessionList() {
  const app = useApp();
  const now = useNow(app);
  const byId = useSessions((state) => state.byId);
  const filter = useSessions((state) => state.filter);
  const activeId = useSessions((state) => state.activeId);
  const archivedOpen = useSessions((state) => state.archivedOpen);
  const by = useSettings((state) => state.settings['sessions.groupBy']);
  const scratchDir = useSettings((state) => state.scratchDir);
  const names = useMemo(() => workspaceNames(byId, scratchDir), [byId, scratchDir]);
  const groups = useMemo(() => groupSessions(byId, { by, filter, names, now }), [byId, by, filter, names, now]);
  const items = useMemo(() => flatten(groups, archivedOpen, filter), [groups, archivedOpen, filter]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (items[index]?.kind === 'session' ? ROW_HEIGHT : GROUP_HEIGHT),
    getItemKey: (index) => keyOf(items[index], index),
    overscan: 8,
  });

  function walk(from: string, by: number): void {
    const order = items.flatMap((item) => (item.kind === 'session' ? [item.session.id] : []));
    const next = order[Math.min(order.length - 1, Math.max(0, order.indexOf(from) + by))];
    if (!next) return;
    virtual.scrollToIndex(items.findIndex((item) => item.kind === 'session' && item.session.id === next));
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-session="${CSS.escape(next)}"]`)?.focus(),
    );
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const id = (event.target as HTMLElement).dataset.session;
    const session = id ? byId[id] : undefined;
    if (!session) return;
    if (event.key === 'ArrowDown') walk(session.id, 1);
    else if (event.key === 'ArrowUp') walk(session.id, -1);
    else if (event.key === 'Home') walk(session.id, -items.length);
    else if (event.key === 'End') walk(session.id, items.length);
    else if (!actOn(session, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  function actOn(session: SessionSummary, key: string): boolean {
    const id = actionOfKey(app, session.foreign ? 'file' : 'session', key);
    if (!id) return false;
    if (id === 'session.delete') walk(session.id, 1);
    act(app, id, { id: session.id, inList: true });
    return true;
  }

  // The inbox stands in a box, its head aside.
  const boxed = items.findIndex(({ kind }) => kind === 'next') + 1;
  if (items.length === 0) return <NothingFound filter={filter} />;
  const tabStop = items.some((item) => item.kind === 'session' && item.session.id === activeId)
    ? activeId
    : firstId(items);
  return (
    <div ref={scroller} className={styles.scroller} onKeyDown={onKeyDown} role="list" aria-label="Sessions">
      <div className={styles.canvas} style={{ height: virtual.getTotalSize() }} role="presentation">
        {virtual.getVirtualItems().map((place) => {
          const item = items[place.index];
          if (!item) return null;
          return (
            <div
              key={place.key}
              role="listitem"
              className={cx(styles.place, place.index < boxed && styles.boxed)}
              data-edge={edgeOf(place.index, boxed)}
              style={{ transform: `translateY(${place.start}px)`, height: place.size }}
            >
              {item.kind === 'group' && (
                <GroupHead group={item.group} open={archivedOpen || filter !== ''}>
                  {item.isFirst && <GroupingButton />}
                </GroupHead>
              )}
              {item.kind === 'next' && <NextWaiting />}
              {item.kind === 'deleted' && <DeletedLink />}
              {item.kind === 'none' && <p className={styles.group}>No title contains “{filter}”.</p>}
              {item.kind === 'session' && (
                <SessionRow
                  session={item.session}
                  folder={item.folder === null ? null : (names.get(item.folder) ?? item.folder)}
                  active={item.session.id === activeId}
                  tabStop={item.session.id === tabStop}
                  now={now}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface GroupHeadProps {
  group: SessionGroup;
  open: boolean;
  children: ReactNode;
}

function GroupHead({ group, open, children }: GroupHeadProps) {
  const app = useApp();
  const home = useSettings((state) => state.home);
  if (group.kind === 'waiting') return <WaitingHead count={group.sessions.length} />;
  if (group.kind !== 'archived') {
    const tip = group.path === undefined ? undefined : visibleString(formatPath(group.path, home));
    return (
      <div className={styles.head}>
        <h2 className={styles.group} title={tip}>
          <Visible text={group.name} place="path" />
        </h2>
        {children}
      </div>
    );
  }
  return (
    <h2 className={styles.group}>
      <button
        type="button"
        className={styles.fold}
        aria-expanded={open}
        onClick={() => app.sessions.setState((state) => ({ archivedOpen: !state.archivedOpen }))}
      >
        <ChevronRight size={13} aria-hidden />
        Archived <span className={styles.count}>{group.sessions.length}</span>
      </button>
    </h2>
  );
}

/** Above the inbox. */
function WaitingHead({ count }: { count: number }) {
  return (
    <h2 className={styles.waitingHead}>
      <Inbox size={13} aria-hidden /> Waiting for you <span className={styles.waitingCount}>{count}</span>
    </h2>
  );
}

function NextWaiting() {
  const app = useApp();
  const keys = useKeys('session.nextWaiting');
  return (
    <button type="button" className={styles.next} onClick={() => act(app, 'session.nextWaiting', null)}>
      {keys && <Kbd>{keys}</Kbd>} next one that waits
    </button>
  );
}

/** At the first head: the other way to divide the list. */
function GroupingButton() {
  const app = useApp();
  const isByTime = useSettings((state) => state.settings['sessions.groupBy'] === 'time');
  const Icon = isByTime ? Folder : CalendarClock;
  return (
    <IconButton
      label={labelOf(app, 'view.grouping', null)}
      size="small"
      className={styles.grouping}
      onClick={() => act(app, 'view.grouping', null)}
    >
      <Icon size={13} />
    </IconButton>
  );
}

/** Where deleted sessions are found (WN13). */
function DeletedLink() {
  const app = useApp();
  return (
    <div className={styles.group}>
      <button type="button" className={styles.fold} onClick={() => act(app, 'session.deleted', null)}>
        <Trash2 size={12} aria-hidden />
        {labelOf(app, 'session.deleted', null)}
      </button>
      <button type="button" className={styles.fold} onClick={() => act(app, 'session.importAll', null)}>
        <Import size={12} aria-hidden />
        {labelOf(app, 'session.importAll', null)}
      </button>
    </div>
  );
}

function NothingFound({ filter }: { filter: string }) {
  const app = useApp();
  if (!filter) return <p className={styles.none}>Sessions appear here.</p>;
  return (
    <div className={styles.scroller}>
      <EmptyState
        title="No matching session"
        actions={<Button onClick={() => app.sessions.setState({ filter: '' })}>Show all sessions</Button>}
      >
        No title in {plural(Object.keys(app.sessions.getState().byId).length, 'session')} contains “{filter}”.
      </EmptyState>
    </div>
  );
}

function flatten(groups: readonly SessionGroup[], archivedOpen: boolean, filter: string): Item[] {
  const first = groups.findIndex(({ kind }) => kind !== 'waiting');
  const items = groups.flatMap((group, index): Item[] => {
    const sessions = group.kind === 'archived' && !archivedOpen && filter === '' ? [] : group.sessions;
    const folderOf = ({ workspace, foreign }: SessionSummary): string | null =>
      group.kind === 'workspace' || foreign !== undefined ? null : workspace;
    return [
      { kind: 'group', group, isFirst: index === first },
      ...sessions.map((session): Item => ({ kind: 'session', session, folder: folderOf(session) })),
      ...(group.kind === 'waiting' ? [{ kind: 'next' } as const] : []),
    ];
  });
  if (filter === '') return [...items, { kind: 'deleted' }];
  return items.length > 0 && first < 0 ? [...items, { kind: 'none' }] : items;
}

function keyOf(item: Item | undefined, index: number): string {
  if (!item) return String(index);
  if (item.kind === 'deleted' || item.kind === 'next' || item.kind === 'none') return item.kind;
  return item.kind === 'group' ? `group:${item.group.key}` : item.session.id;
}

/** Where the box around the inbox begins and ends: its first row, behind the head, and its last. */
function edgeOf(index: number, boxed: number): 'head' | 'first' | 'last' | undefined {
  if (index >= boxed) return undefined;
  return index === 0 ? 'head' : index === 1 ? 'first' : index === boxed - 1 ? 'last' : undefined;
}

function firstId(items: readonly Item[]): string | null {
  for (const item of items) if (item.kind === 'session') return item.session.id;
  return null;
}
