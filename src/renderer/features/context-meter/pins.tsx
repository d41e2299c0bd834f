import { useEffect, useState } from 'react';
import { X } from 'lucide-react';
import type { PinItem, PinList } from '@shared/compaction/pin-list';
import { openReference } from '../../actions/branches';
import { unpin } from '../../actions/pins';
import { toAppError } from '../../bridge';
import { ROLES, textOfItem } from '../../parts/row-text';
import { formatTokens, plural } from '../../state/format';
import { useApp, useLive, useSession, useSettings, useView } from '../../state/hooks';
import { Button, cx, IconButton } from '../../ui';
import styles from './pins.module.css';

interface FoundPins {
  list: PinList | null;
  problem: string | null;
}

/** The pins of the path against their limit; asked for again whenever they, the path, the model or the limit change. */
function usePins(): FoundPins {
  const { client } = useApp();
  const session = useSession();
  const pins = useLive(session, (live) => live.pins);
  const leafId = useLive(session, (live) => live.leafId);
  const model = useLive(session, (live) => live.model);
  const window = useLive(session, (live) => live.usage?.window);
  const percent = useSettings((state) => state.settings['pins.maxPercent']);
  const [known, setKnown] = useState<FoundPins>({ list: null, problem: null });
  const isNone = pins.length === 0;
  useEffect(() => {
    let isWanted = true;
    if (isNone) return setKnown({ list: null, problem: null });
    client.request('session.pins', { sessionId: session.id }).then(
      (list) => isWanted && setKnown({ list, problem: null }),
      (cause: unknown) => isWanted && setKnown({ list: null, problem: toAppError(cause).message }),
    );
    return () => {
      isWanted = false;
    };
  }, [client, session, isNone, pins, leafId, model, window, percent]);
  return known;
}

/** Pins that are listed at first, and those that one press shows. */
const FEW = 5;
const PAGE = 50;

/** What pins cost (PN7): each with its tokens and the way to let go of it, all of them against their limit. Nothing without pins. */
export function Pins({ onClose }: { onClose: () => void }) {
  const { list, problem } = usePins();
  if (problem !== null) return <p className={styles.problem}>The pins could not be read. {problem}</p>;
  if (!list || list.pins.length === 0) return null;
  return (
    <section className={styles.pins} aria-label="Pinned messages">
      <h3>
        Pinned
        <span>{inWords(list)}</span>
      </h3>
      <Budget list={list} />
      <List list={list} onClose={onClose} />
    </section>
  );
}

function inWords({ tokens, limit, percent }: PinList): string {
  if (limit === null) return `${formatTokens(tokens)} tokens`;
  return `${formatTokens(tokens)} of ${formatTokens(limit)} tokens: pins may fill ${percent}% of the window`;
}

/** The bar, and in words what it means where it is full. */
function Budget({ list: { tokens, limit } }: { list: PinList }) {
  if (limit === null) return <p className={styles.hint}>The window is unknown, so there is no limit.</p>;
  const isOver = tokens > limit;
  const share = limit > 0 ? Math.min(100, (tokens / limit) * 100) : 100;
  return (
    <>
      <span className={cx(styles.track, isOver && styles.over)} aria-hidden>
        <span style={{ width: `${share}%` }} />
      </span>
      {isOver && (
        <p className={styles.doubt}>
          More than pins may take of this model’s window. They stay, but nothing more can be pinned.
        </p>
      )}
    </>
  );
}

function List({ list: { pins, more }, onClose }: { list: PinList; onClose: () => void }) {
  const session = useSession();
  const [most, setMost] = useState(FEW);
  const shown = pins.slice(0, most);
  useView(session, (view) => view.entriesVersion);
  const wanted = shown.flatMap(({ id, call }) => (call ? [id, call.entryId] : [id])).join('\n');
  useEffect(() => void session.loadEntries([...new Set(wanted.split('\n'))]), [session, wanted]);
  const left = pins.length - shown.length;
  return (
    <>
      <ul className={styles.list}>
        {shown.map((item) => (
          <Line key={item.id} item={item} onClose={onClose} />
        ))}
      </ul>
      {left > 0 && (
        <Button tone="link" onClick={() => setMost(most + PAGE)}>
          Show {Math.min(PAGE, left)} more
        </Button>
      )}
      {left === 0 && more > 0 && <p className={styles.hint}>And {plural(more, 'other')}.</p>}
    </>
  );
}

function Line({ item, onClose }: { item: PinItem; onClose: () => void }) {
  const app = useApp();
  const session = useSession();
  const text = textOfItem(item, (id) => session.entry(id)) ?? '…';
  const jump = (): void => {
    onClose();
    void openReference(app, session.id, item.id);
  };
  return (
    <li>
      <button type="button" title={whereIs(item)} onClick={jump}>
        <i>{ROLES[item.kind]}</i>
        <span>{text}</span>
        <b>{formatTokens(item.tokens)}</b>
      </button>
      <IconButton label={`Unpin: ${text}`} size="small" onClick={() => void unpin(app, session.id, [item.id])}>
        <X size={12} />
      </IconButton>
    </li>
  );
}

function whereIs({ isHidden, isAside }: PinItem): string {
  if (isAside) return 'On another branch. The model gets it word for word after that branch’s summary.';
  return isHidden
    ? 'Summarised. The model gets it word for word after the summary.'
    : 'The model sees it in its place. Once a summary covers it, it follows that word for word.';
}
