import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';
import { splitTitle } from '@shared/policy/session-title';
import { visibleString } from '@shared/policy/visible-text';
import { TRUST_OFFER } from '@shared/types';
import { useApp, useSessions, useUi } from '../../state/hooks';
import { shownTitle } from '../../state/sessions-store';
import { toastsIn, type UiState } from '../../state/ui-store';
import { Button, cx, Notice, noticeIcons, type NoticeLevel, Popover, Toasts, useLowWindow } from '../../ui';
import styles from './notices.module.css';

/** What a notice is on one line. */
export interface Headline {
  level: NoticeLevel;
  text: string;
}

const WEIGHT: Record<NoticeLevel, number> = { error: 2, warning: 1, success: 0, info: 0 };

/** The one that stands for all where there is room for one: of the most serious the first. */
export function mostImportant(headlines: readonly Headline[]): Headline | null {
  return headlines.reduce<Headline | null>(
    (best, next) => (best && WEIGHT[best.level] >= WEIGHT[next.level] ? best : next),
    null,
  );
}

interface FoldedProps {
  headlines: readonly Headline[];
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  children: ReactNode;
}

/** Notices that don’t fit above the transcript: one line, and all of them in a list over the transcript, which keeps its height (WN9). */
function FoldedNotices({ headlines, isOpen, onOpenChange, children }: FoldedProps) {
  const first = mostImportant(headlines);
  if (!first) return null;
  const Icon = noticeIcons[first.level];
  return (
    <div className={cx(styles.banner, styles.folded)} data-folded-notices>
      <Icon size={15} aria-hidden className={styles[first.level]} />
      <span className={styles.headline} role="alert">
        {first.text}
      </span>
      <Popover
        label="Notices"
        open={isOpen}
        onOpenChange={onOpenChange}
        align="end"
        className={styles.list}
        trigger={<Button size="small">{headlines.length > 1 ? `${headlines.length - 1} more` : 'Details'}</Button>}
      >
        {children}
      </Popover>
    </div>
  );
}

/**
 * Whether an element has room for all that is in it. Once it has not, it may be drawn otherwise: it is tried again when `content`
 * changes, when the window has another size than it was measured in, and once the fonts are there.
 * @param isAside it is drawn otherwise for now, whether or not it has room
 */
function useFits<E extends HTMLElement>(content: string, isAside: boolean): [ref: RefObject<E | null>, fits: boolean] {
  const ref = useRef<E>(null);
  const [size, resized] = useReducer((count: number) => count + 1, 0);
  const tried = `${size} ${content}`;
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  useEffect(() => {
    // It tells of the size at once: a start may change that before anything listens.
    const observer = new ResizeObserver(resized);
    observer.observe(document.documentElement);
    document.fonts.addEventListener('loadingdone', resized);
    return () => {
      observer.disconnect();
      document.fonts.removeEventListener('loadingdone', resized);
    };
  }, []);
  // Before it is painted: nobody sees it cut off.
  useLayoutEffect(() => {
    const element = ref.current;
    if (element && element.scrollHeight > element.clientHeight + 1) setTooLarge(tried);
  }, [tried, isAside]);
  return [ref, tooLarge !== tried];
}

type Shown = UiState['notices'][number];

const DISK_FULL = 'Espalier can’t save: the disk is full';

/** What concerns the whole app, above everything: storage, start problems, notices of main. */
export function AppNotices() {
  const app = useApp();
  const storage = useUi((ui) => ui.storage);
  const activeId = useSessions((state) => state.activeId);
  const told = useUi((ui) => ui.notices);
  // What says “here” is true in its own session alone.
  const notices = told.filter(({ code, sessionId }) => code !== 'no-progress' || sessionId === activeId);
  // Where nothing could start, that is said in the middle of the window, once.
  const localProblem = useUi((ui) => (ui.startProblem ? null : ui.localProblem));
  const isLow = useLowWindow();
  const newest = notices.toReversed();
  const headlines: Headline[] = [
    ...(storage.state === 'full' ? [{ level: 'error', text: DISK_FULL } as const] : []),
    ...(localProblem ? [{ level: 'warning', text: localProblem } as const] : []),
    ...newest.map(({ level, text }) => ({ level, text: visibleString(text) })),
  ];
  const [isListOpen, setListOpen] = useState(false);
  const [banner, fits] = useFits<HTMLDivElement>(
    JSON.stringify([headlines, storage.detail, newest.map(({ id }) => id)]),
    isListOpen,
  );
  // Nothing is half in view, least of all its buttons. A list that somebody reads stays, whatever goes out of it.
  const isFolded = (isLow && headlines.length > 1) || !fits || isListOpen;
  useEffect(() => {
    if (headlines.length === 0) setListOpen(false);
  }, [headlines.length]);
  const dismissAll = (): void => {
    notices.forEach(dismiss);
  };
  const dismiss = ({ id, code, conflict, sessionId }: Shown): void => {
    app.ui.setState((ui) => ({ notices: ui.notices.filter((notice) => notice.id !== id) }));
    // Told again at every start until it was read.
    if (conflict && sessionId) void app.ask('sessions.conflictRead', { sessionId });
    if (code === TRUST_OFFER) void app.ask('trust.dismissOffer', {});
  };
  const open = (sessionId: string): void => {
    // What was asked for is not to stand below the list.
    setListOpen(false);
    app.activate(sessionId);
  };
  if (headlines.length === 0) return null;
  const all = (
    <>
      {storage.state === 'full' && (
        <Notice level="error" title={DISK_FULL}>
          {storage.detail || 'Everything shown as saved is safe. Free up some space to save new messages.'}
        </Notice>
      )}
      {localProblem && <Notice level="warning">{localProblem}</Notice>}
      {newest.map((notice) => (
        <Notice
          key={notice.id}
          className={styles.wide}
          level={notice.level}
          title={visibleString(notice.text)}
          onDismiss={() => dismiss(notice)}
          actions={
            notice.code === TRUST_OFFER ? (
              <ChooseFolders onChosen={() => dismiss(notice)} />
            ) : (
              notice.conflict?.map(({ sessionId, title }) => (
                <Button key={sessionId} size="small" onClick={() => open(sessionId)}>
                  Open “{shortTitle(title)}”
                </Button>
              ))
            )
          }
        >
          {notice.detail && visibleString(notice.detail)}
          {notice.items && (
            <ul className={styles.items}>
              {notice.items.map((item) => (
                <li key={item}>{visibleString(item)}</li>
              ))}
            </ul>
          )}
        </Notice>
      ))}
      {notices.length > 1 && (
        <div className={styles.all}>
          <Button size="small" onClick={dismissAll}>
            Dismiss all
          </Button>
        </div>
      )}
    </>
  );
  if (!isFolded)
    return (
      <div ref={banner} className={styles.banner}>
        {all}
      </div>
    );
  return (
    <FoldedNotices headlines={headlines} isOpen={isListOpen} onOpenChange={setListOpen}>
      {all}
    </FoldedNotices>
  );
}

/** A title for a button: its end says which of two it is. */
function shortTitle(title: string): string {
  const { name, end } = splitTitle(title);
  const words = [...name];
  const shown = words.length > 32 ? `${words.slice(0, 32).join('').trimEnd()}…` : name;
  return `${shownTitle({ title: shown })}${visibleString(end)}`;
}

function ChooseFolders({ onChosen }: { onChosen: () => void }) {
  const app = useApp();
  const choose = (): void => {
    app.ui.setState({ settings: 'tools' });
    onChosen();
  };
  return (
    <Button size="small" onClick={choose}>
      Choose folders…
    </Button>
  );
}

/** Short-lived messages below everything. */
export function AppToasts() {
  const app = useApp();
  const all = useUi((ui) => ui.toasts);
  const activeId = useSessions((state) => state.activeId);
  const toasts = useMemo(() => toastsIn(all, activeId), [all, activeId]);
  return <Toasts items={toasts} onDismiss={(id) => app.dismissToast(id)} />;
}
