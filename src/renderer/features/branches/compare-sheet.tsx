import {
  type ReactNode,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { createPortal } from 'react-dom';
import { useStore } from 'zustand';
import { Square, SquareCheck, TriangleAlert, X } from 'lucide-react';
import { apart, type Apart, listBranches } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import type { WordPiece } from '@shared/word-diff';
import { hasKept } from '../../actions/compare';
import type { ComparedTurns } from '../../state/branch-state';
import { wordsEntry, wordsOf } from '../../state/branch-names';
import { useApp, useSession, useSettings, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { nextTask } from '../../state/order';
import { modelName } from '../../state/settings-store';
import { Button, EmptyState, IconButton, isUsedUp, Spinner, Visible } from '../../ui';
import { bothChanged, type ComparedSide, readSide } from './compare-read';
import { CompareSide, type CompareSideProps } from './compare-side';
import styles from './compare.module.css';

/** Two turns side by side, over the transcript and beside the graph, which stays usable (GR14). */
export function CompareSheet({ compared }: { compared: ComparedTurns }) {
  return createPortal(<Sheet compared={compared} />, document.body);
}

function Sheet({ compared }: { compared: ComparedTurns }) {
  const app = useApp();
  const session = useSession();
  const close = (): void => app.ui.setState({ compared: null });
  const room = useRoom();
  const frame = useRef<HTMLElement>(null);
  useFocus(frame);
  useEscape(close);
  const status = useStore(session.graph.state, (state) => state.status);
  const problem = useStore(session.graph.state, (state) => state.problem);
  // A branch may grow, and HEAD may move, while it is looked at.
  useStore(session.graph.state, (state) => state.version);
  const [a, b] = [nodeOf(session, compared.a), nodeOf(session, compared.b)];
  return (
    <>
      <div className={styles.scrim} style={{ right: room.right }} onClick={close} />
      <section
        ref={frame}
        className={styles.sheet}
        style={{ width: room.width }}
        role="dialog"
        aria-label="Compare"
        data-compare
        tabIndex={-1}
      >
        {status === 'ready' && a && b ? (
          <Compared key={`${compared.a} ${compared.b}`} compared={compared} a={a} b={b} onClose={close} />
        ) : (
          <Frame onClose={close}>
            <div className={styles.waiting}>
              {status === 'failed' ? (
                <EmptyState
                  title="The branches could not be read"
                  actions={<Button onClick={() => void session.graph.open()}>Try again</Button>}
                >
                  {problem} The session itself is unchanged.
                </EmptyState>
              ) : status === 'ready' ? (
                <EmptyState title="One of them is no longer here" actions={<Button onClick={close}>Close</Button>}>
                  The file of this session was replaced. Choose two to compare.
                </EmptyState>
              ) : (
                <Spinner label="Reading the branches" size={18} />
              )}
            </div>
          </Frame>
        )}
      </section>
    </>
  );
}

function nodeOf(session: OpenSession, entryId: string): TurnNode | null {
  return session.graph.graph.turns.place(entryId)?.node ?? null;
}

function Frame({
  lead,
  tools,
  onClose,
  children,
}: {
  lead?: ReactNode;
  tools?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <>
      <header className={styles.head}>
        <h2>Compare</h2>
        <p className={styles.lead}>{lead}</p>
        {tools}
        <IconButton label="Close" size="small" onClick={onClose}>
          <X size={16} />
        </IconButton>
      </header>
      {children}
    </>
  );
}

interface ComparedProps {
  compared: ComparedTurns;
  a: TurnNode;
  b: TurnNode;
  onClose: () => void;
}

function Compared({ compared, a, b, onClose }: ComparedProps) {
  const app = useApp();
  const session = useSession();
  const [parts] = useState<Apart>(() => apart(a, b));
  const sides = [useSide(session, parts.a), useSide(session, parts.b)] as const;
  const [isDiff, setDiff] = useState(false);
  const pieces = useWordDiff(isDiff, sides[0]?.answer, sides[1]?.answer);
  const providers = useSettings((state) => state.providers);
  const models = sides.map((side) => side?.model && modelName(providers, side.model.provider, side.model.modelId));
  const isOneModel = models[0] === models[1];
  useLeave([a, b], onClose);
  const stateOf = useBranchStates(session);
  const both = sides[0] && sides[1] ? bothChanged(sides[0], sides[1]) : null;
  const Tick = isDiff ? SquareCheck : Square;
  return (
    <Frame
      lead={
        <>
          <Shared parts={parts} />
          {isOneModel && models[0] && ` · ${models[0]}`}
        </>
      }
      tools={
        <Button tone="quiet" aria-pressed={isDiff} className={styles.toggle} onClick={() => setDiff(!isDiff)}>
          <Tick size={13} aria-hidden /> Word diff
        </Button>
      }
      onClose={onClose}
    >
      <div className={styles.two}>
        {([a, b] as const).map((node, index) => (
          <CompareSide
            key={index}
            node={node}
            nodes={index === 0 ? parts.a : parts.b}
            than={index === 0 ? null : parts.a}
            side={sides[index] ?? null}
            model={isOneModel ? null : (models[index] ?? null)}
            pieces={pieces}
            kind={index === 0 ? 'removed' : 'added'}
            opened={both ?? []}
            other={index === 0 ? b : a}
            stateOf={stateOf}
            onTurn={(entryId) =>
              app.ui.setState({ compared: { ...compared, ...(index === 0 ? { a: entryId } : { b: entryId }) } })
            }
          />
        ))}
      </div>
      <footer className={styles.foot}>
        {both && <BothChanged paths={both} />}
        <span className={styles.footEnd}>Keeping one makes its tip HEAD. The other stays in the tree.</span>
      </footer>
    </Frame>
  );
}

/** What the list calls the branch of a turn at which HEAD is not (GR17). Made after what is seen, once for both sides. */
function useBranchStates({ graph: { graph, state } }: OpenSession): CompareSideProps['stateOf'] {
  const version = useDeferredValue(useStore(state, (now) => now.version));
  const list = useMemo(() => (version < 0 ? null : listBranches(graph, graph.order)), [graph, version]);
  return (node) => {
    if (graph.isHidden(node)) return 'hidden';
    const of = list?.of(node).state ?? 'open';
    return of === 'head' ? 'open' : of;
  };
}

/** What both have: the prompt that they answer, or the turn that they go on from. */
function Shared({ parts }: { parts: Apart }) {
  const session = useSession();
  useView(session, (view) => view.entriesVersion);
  const [first, second] = [parts.a[0], parts.b[0]];
  const asked = first && second && first !== second && first.promptId !== null && first.promptId === second.promptId;
  const node = asked ? first : parts.shared;
  const id = node && wordsEntry(node);
  useEffect(() => {
    if (id) void session.loadEntries([id]);
  }, [session, id]);
  if (!node) return 'They share no message';
  return `${asked ? 'Both answer' : 'Both go on from'} “${wordsOf(session, node)}”`;
}

const SHOWN = 2;

function BothChanged({ paths }: { paths: readonly string[] }) {
  if (paths.length === 0) return <span>No file was changed on both sides</span>;
  return (
    <span className={styles.both}>
      <TriangleAlert size={14} aria-hidden /> Both changed{' '}
      {paths.slice(0, SHOWN).map((path) => (
        <code key={path}>
          <Visible text={path} place="path" />
        </code>
      ))}
      {paths.length > SHOWN && `and ${paths.length - SHOWN} more`}
    </span>
  );
}

/** Read once: what comes to a side while it is looked at is shown when it is compared again. */
function useSide(session: OpenSession, nodes: readonly TurnNode[]): ComparedSide | null {
  const [side, setSide] = useState<ComparedSide | null>(null);
  useEffect(() => {
    let isOver = false;
    void readSide(session, nodes, () => isOver).then((read) => !isOver && setSide(read));
    return () => {
      isOver = true;
    };
  }, [session, nodes]);
  return side;
}

/** Compared in a task of its own, by code that is loaded for it. Null: not asked for, or not there yet. */
function useWordDiff(isOn: boolean, a: string | undefined, b: string | undefined): readonly WordPiece[] | null {
  const [pieces, setPieces] = useState<readonly WordPiece[] | null>(null);
  useEffect(() => {
    if (!isOn || a === undefined || b === undefined) return;
    let isOver = false;
    void (async () => {
      const { diffWordsInSteps } = await import('@shared/word-diff');
      const steps = diffWordsInSteps(a, b);
      for (let step = steps.next(); ; step = steps.next()) {
        if (isOver) return;
        if (step.done) return setPieces(step.value);
        await nextTask();
      }
    })();
    return () => {
      isOver = true;
    };
  }, [isOn, a, b]);
  return isOn ? pieces : null;
}

/** Closes once HEAD stands where one of two sides ends and did not before. */
function useLeave(nodes: readonly TurnNode[], close: () => void): void {
  const session = useSession();
  const head = useStore(session.graph.state, () => session.graph.graph.head);
  const before = useRef(head);
  const latest = useRef(close);
  useLayoutEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    if (head && head !== before.current && hasKept(head, nodes)) latest.current();
    before.current = head;
  }, [head, nodes]);
}

/** Pixels. */
const MARGIN = 24;
const WIDTH = 836;
const LEAST = 600;

/** What is left of the graph; all of the window where that is too little. */
function useRoom(): { width: number; right: number } {
  const key = useSyncExternalStore(subscribe, () => {
    const pane = document.querySelector('[data-pane="graph"]')?.getBoundingClientRect();
    return `${window.innerWidth} ${pane && pane.width > 0 ? Math.round(pane.left) : window.innerWidth}`;
  });
  const [width = 0, left = 0] = key.split(' ').map(Number);
  const isBeside = left - 2 * MARGIN >= LEAST;
  return { width: Math.min(WIDTH, (isBeside ? left : width) - 2 * MARGIN), right: isBeside ? width - left : 0 };
}

function subscribe(onChange: () => void): () => void {
  const observer = new ResizeObserver(onChange);
  const pane = document.querySelector('[data-pane="graph"]');
  if (pane) observer.observe(pane);
  observer.observe(document.body);
  return () => observer.disconnect();
}

/** The keyboard comes here, and goes back to where it was. */
function useFocus(frame: { current: HTMLElement | null }): void {
  useEffect(() => {
    const from = document.activeElement;
    const element = frame.current;
    element?.focus({ preventScroll: true });
    return () => {
      const isHere = document.activeElement === document.body || element?.contains(document.activeElement);
      if (isHere && from instanceof HTMLElement) from.focus({ preventScroll: true });
    };
  }, [frame]);
}

/** Esc closes it wherever the keyboard is, unless something above it takes the key (GR24). */
function useEscape(close: () => void): void {
  const latest = useRef(close);
  useLayoutEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== 'Escape' || isUsedUp(event)) return;
      if (document.querySelector('[role="dialog"][data-state="open"], [role="menu"]')) return;
      event.preventDefault();
      latest.current();
    };
    // Before the window's own keys: an Esc that closes something stops nothing.
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
