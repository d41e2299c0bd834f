import { useEffect, useState } from 'react';
import { TRUST_OFFER } from '@shared/types';
import { visibleString } from '@shared/policy/visible-text';
import { splitTitle } from '@shared/policy/session-title';
import { Button, Notice, Toasts, useLowWindow } from '../../ui';
import { useApp, useSessions, useUi } from '../../state/hooks';
import { shownTitle } from '../../state/sessions-store';
import type { UiState } from '../../state/ui-store';
import { FoldedNotices, type Headline } from './folded-notices';
import { useFits } from './use-fits';
import styles from './notices.module.css';

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
  const toasts = useUi((ui) => ui.toasts);
  return <Toasts items={toasts} onDismiss={(id) => app.dismissToast(id)} />;
}
