import { type ReactNode, useId, useState } from 'react';
import { ChevronLeft, ChevronRight, FilePenLine } from 'lucide-react';
import type { Branch } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import { visibleString } from '@shared/policy/visible-text';
import type { WordPiece } from '@shared/word-diff';
import { canKeep } from '../../actions/compare';
import { navigate, openDialog } from '../../actions/moves';
import { useBranchName } from '../../parts/branch-name';
import { BRANCH_STATES, wordsOf } from '../../state/branch-names';
import { costInWords, formatTokens, formatWhen, plural } from '../../state/format';
import { useApp, useSession, useSettings, useSituation, useView } from '../../state/hooks';
import { hasUnknownPrice } from '../../state/settings-store';
import { Button, cx, Glyph, IconButton, Spinner, Visible } from '../../ui';
import { Markdown } from '../markdown/markdown';
import { DiffView } from '../transcript/diff-view';
import { formatDuration } from '../transcript/moment';
import { type ComparedFile, type ComparedSide, toolsInWords } from './compare-read';
import styles from './compare.module.css';

export interface CompareSideProps {
  /** Where the side ends. */
  node: TurnNode;
  /** Its turns since both parted. */
  nodes: readonly TurnNode[];
  /** The turns that its figures are told against; null: none. */
  than: readonly TurnNode[] | null;
  /** Null while it is read. */
  side: ComparedSide | null;
  model: string | null;
  /** What both answers are, word by word; null: the answer as it is. */
  pieces: readonly WordPiece[] | null;
  /** Which of the pieces are this side's own. */
  kind: 'removed' | 'added';
  /** Files that are shown open. */
  opened: readonly string[];
  other: TurnNode;
  /** What the branch of a turn is called where HEAD is not at it. */
  stateOf: (node: TurnNode) => Branch['state'];
  /** Another version of it is compared. */
  onTurn: (entryId: string) => void;
}

/** One of the two: who it is, what it came to, what it said and did, and what can be done with it. */
export function CompareSide(props: CompareSideProps) {
  const { node, nodes, than, side, model, pieces, kind, opened, other, stateOf, onTurn } = props;
  const session = useSession();
  const { graph } = session.graph;
  const isHere = graph.head === node;
  return (
    <div className={styles.side} role="group" aria-label={kind === 'removed' ? 'Left side' : 'Right side'}>
      <div className={styles.scroll}>
        <SideHead node={node} other={other} model={model} stateOf={stateOf} onTurn={onTurn} />
        <Figures nodes={nodes} than={than} />
        {side ? (
          <>
            <h3>Answer</h3>
            <Answer side={side} pieces={pieces} kind={kind} />
            <h3>
              Tools <i>{toolsInWords(side.tools)}</i>
            </h3>
            <Files files={side.files} opened={opened} />
            {side.isPart && <p className={styles.part}>Only its last entries were read.</p>}
            {side.isUnread && <p className={styles.part}>Some of its entries could not be read.</p>}
          </>
        ) : (
          <div className={styles.waiting}>
            <Spinner label="Reading this side" size={16} />
          </div>
        )}
      </div>
      <div className={styles.acts}>
        {isHere ? <span className={styles.here}>You are here</span> : <Acts node={node} />}
      </div>
    </div>
  );
}

type SideHeadProps = Pick<CompareSideProps, 'node' | 'other' | 'model' | 'stateOf' | 'onTurn'>;

function SideHead({ node, other, model, stateOf, onTurn }: SideHeadProps) {
  const app = useApp();
  const session = useSession();
  useView(session, (view) => view.entriesVersion);
  const { graph } = session.graph;
  const name = useBranchName(session, node.contentId) ?? '…';
  // Two turns of one branch are told apart by their own words.
  const isOne = graph.order.runOf(node) === graph.order.runOf(other);
  const variants = graph.order.variants.variantsOf(node);
  const at = variants.indexOf(node);
  const state = [BRANCH_STATES[stateOf(node)], formatWhen(node.endTime, app.now()), model].filter(Boolean);
  return (
    <div className={styles.name}>
      <b dir="auto">{isOne ? wordsOf(session, node) : name}</b>
      {graph.head === node ? (
        <Glyph name="head" label="HEAD" />
      ) : (
        <span className={styles.state}>{state.join(' · ')}</span>
      )}
      {graph.head === node && model && <span className={styles.state}>{model}</span>}
      {variants.length > 1 && (
        <span className={styles.variants} role="group" aria-label={`Version ${at + 1} of ${variants.length}`}>
          <Turn label="Earlier version" to={variants[at - 1]} other={other} onTurn={onTurn}>
            <ChevronLeft size={12} />
          </Turn>
          {at + 1}/{variants.length}
          <Turn label="Later version" to={variants[at + 1]} other={other} onTurn={onTurn}>
            <ChevronRight size={12} />
          </Turn>
        </span>
      )}
    </div>
  );
}

interface TurnProps extends Pick<CompareSideProps, 'other' | 'onTurn'> {
  label: string;
  to: TurnNode | undefined;
  children: ReactNode;
}

function Turn({ label, to, other, onTurn, children }: TurnProps) {
  return (
    <IconButton label={label} size="small" disabled={!to || to === other} onClick={() => to && onTurn(to.tailId)}>
      {children}
    </IconButton>
  );
}

interface Sums {
  turns: number;
  tokens: number;
  cost: number;
  /** Milliseconds from each prompt to the end of its answer. */
  time: number;
}

function sumsOf(nodes: readonly TurnNode[]): Sums {
  const sums = { turns: 0, tokens: 0, cost: 0, time: 0 };
  for (const { kind, tokens, cost, time, endTime } of nodes) {
    if (kind === 'turn' || kind === 'answer' || kind === 'bash') sums.turns += 1;
    sums.tokens += tokens;
    sums.cost += cost;
    if (endTime > time) sums.time += endTime - time;
  }
  return sums;
}

function Figures({ nodes, than }: Pick<CompareSideProps, 'nodes' | 'than'>) {
  const providers = useSettings((state) => state.providers);
  const isUnknown = (of: readonly TurnNode[]): boolean =>
    hasUnknownPrice(providers, new Set(of.flatMap(({ unpriced }) => [...unpriced])));
  const isCostUnknown = isUnknown(nodes);
  // Of what is known only in part nobody knows whether it is more or less.
  const isTold = (key: keyof Sums): boolean => key !== 'cost' || !(isCostUnknown || (than && isUnknown(than)));
  const sums = sumsOf(nodes);
  const base = than && sumsOf(than);
  const columns: { label: string; key: keyof Sums; words: (value: number) => string }[] = [
    { label: 'Turns', key: 'turns', words: String },
    { label: 'Tokens', key: 'tokens', words: formatTokens },
    { label: 'Cost', key: 'cost', words: (dollars) => costInWords(dollars, isCostUnknown) },
    { label: 'Time', key: 'time', words: formatDuration },
  ];
  return (
    <dl className={styles.figures}>
      {columns.map(({ label, key, words }) => (
        <div key={key}>
          <dt>{label}</dt>
          <dd>
            <b>{words(sums[key])}</b> {base && isTold(key) && <Difference by={sums[key] - base[key]} words={words} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** How much more or less than the other side; nothing where it is the same as far as it is shown. */
function Difference({ by, words }: { by: number; words: (value: number) => string }) {
  const size = words(Math.abs(by));
  if (by === 0 || size === words(0)) return null;
  return (
    <em>
      {by < 0 ? '−' : '+'}
      {size}
    </em>
  );
}

function Answer({ side, pieces, kind }: { side: ComparedSide } & Pick<CompareSideProps, 'pieces' | 'kind'>) {
  if (side.answer === '') return <p className={styles.nothing}>No words</p>;
  return (
    <div className={styles.answer}>
      {pieces ? (
        <Pieces pieces={pieces} kind={kind} />
      ) : (
        <Markdown text={side.answer} cacheKey={`${side.answerId} compared`} />
      )}
    </div>
  );
}

/** Pieces that are drawn at once: each change is an element. */
const PAGE = 1200;

/** An answer with what only it has marked, by more than its color. */
function Pieces({ pieces, kind }: { pieces: readonly WordPiece[]; kind: 'removed' | 'added' }) {
  const [pages, setPages] = useState(1);
  const own = pieces.filter((piece) => piece.kind === 'same' || piece.kind === kind);
  const drawn = own.slice(0, pages * PAGE);
  const Mark = kind === 'removed' ? 'del' : 'ins';
  return (
    <div className={styles.pieces} data-word-diff={kind}>
      {drawn.map((piece, index) =>
        piece.kind === 'same' ? shownText(piece.text) : <Mark key={index}>{shownText(piece.text)}</Mark>,
      )}
      {own.length > drawn.length && (
        <Button tone="link" onClick={() => setPages(pages + 1)}>
          Show more
        </Button>
      )}
    </div>
  );
}

/** In its lines, and nothing in them that hides (docs/specs/safety.md C1). */
function shownText(text: string): string {
  return text.split('\n').map(visibleString).join('\n');
}

function Files({ files, opened }: { files: readonly ComparedFile[]; opened: readonly string[] }) {
  const [added, removed] = files.reduce(([a, r], file) => [a + file.added, r + file.removed], [0, 0]);
  const first = files.find(({ path }) => opened.includes(path)) ?? files[0];
  return (
    <>
      <h3>
        Files changed <i>{files.length === 0 ? 'none' : `${plural(files.length, 'file')} · +${added} −${removed}`}</i>
      </h3>
      {files.map((file) => (
        <ChangedFile key={file.path} file={file} startsOpen={file === first} />
      ))}
    </>
  );
}

function ChangedFile({ file, startsOpen }: { file: ComparedFile; startsOpen: boolean }) {
  const [isOpen, setOpen] = useState(startsOpen);
  const id = useId();
  const { path, added, removed, lines } = file;
  const Icon = isOpen ? FilePenLine : ChevronRight;
  return (
    <div className={styles.file}>
      <button
        type="button"
        className={styles.fileHead}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon size={14} aria-hidden />
        <code>
          <Visible text={path} place="path" />
        </code>
        <span className={styles.changes}>
          {added > 0 && <span className={styles.plus}>+{added}</span>}
          {removed > 0 && <span className={styles.minus}>−{removed}</span>}
        </span>
      </button>
      {isOpen && (
        <div id={id}>
          <DiffView lines={lines} path={path} first={FIRST_LINES} />
        </div>
      )}
    </div>
  );
}

/** Lines of a diff before "Show more": two of them stand side by side. */
const FIRST_LINES = 14;

/** What can be done with a side where HEAD is not. */
function Acts({ node }: { node: TurnNode }) {
  const app = useApp();
  const session = useSession();
  useSituation(session.id);
  const { graph } = session.graph;
  const { head } = graph;
  const verdict = canKeep(app, session.id);
  const why = typeof verdict === 'object' ? verdict.text : null;
  const reason = useId();
  const isOther = head !== null && !graph.isActive(node);
  return (
    <>
      <Button
        tone="primary"
        disabled={verdict !== true}
        aria-describedby={why === null ? undefined : reason}
        onClick={() => void navigate(app, { sessionId: session.id, targetId: node.tailId, exact: false })}
      >
        Keep this one
      </Button>
      {isOther && (
        <Button
          disabled={verdict !== true}
          onClick={() =>
            openDialog(app, {
              kind: 'bringOver',
              ...{ sessionId: session.id, sourceId: node.tailId, targetId: head.tailId },
            })
          }
        >
          Bring its summary over
        </Button>
      )}
      {why !== null && (
        <span id={reason} className={cx(styles.why)} role="status">
          {why}
        </span>
      )}
    </>
  );
}
