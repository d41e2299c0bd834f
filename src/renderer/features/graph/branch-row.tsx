import { memo } from 'react';
import { GitFork, Square, SquareCheck } from 'lucide-react';
import type { Branch } from '@shared/graph/branches';
import type { SessionSummary } from '@shared/types';
import { formatCost, formatTokens, formatWhen, plural } from '../../state/format';
import { BRANCH_STATES } from '../../state/branch-names';
import { shownTitle } from '../../state/sessions-store';
import { cx, Glyph } from '../../ui';
import styles from './branch-list.module.css';

/** Turns, tokens and files in words: `5 turns · 9.1k tokens · no files`. */
function figuresOf({ turns, tokens, files }: Pick<Branch, 'turns' | 'tokens' | 'files'>): string {
  const changed = files === null ? '' : ` · ${files === 0 ? 'no files' : plural(files, 'file')}`;
  return `${plural(turns, 'turn')} · ${formatTokens(tokens)} tokens${changed}`;
}

interface BranchRowProps {
  branch: Branch;
  name: string;
  isCostUnknown: boolean;
  id: string;
  /** Its line of the grid, from 1. */
  line: number;
  isTicked: boolean;
  isCurrent: boolean;
  /** Sessions that were forked from it (GR18). */
  forks: readonly SessionSummary[];
  now: number;
  onPoint: (branch: Branch) => void;
  onTick: (branch: Branch) => void;
  onOpen: (branch: Branch) => void;
  onFork: (fork: SessionSummary) => void;
}

/** One branch: name, state and last activity above, figures and cost below. */
export const BranchRow = memo(function BranchRow(props: BranchRowProps) {
  const { branch, name, isCostUnknown, id, line, isTicked, isCurrent, forks, now, onPoint, onTick, onOpen, onFork } =
    props;
  const { state, lastTime, cost } = branch;
  const Tick = isTicked ? SquareCheck : Square;
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={line}
      aria-selected={isTicked}
      className={cx(styles.row, state === 'head' && styles.live, state === 'hidden' && styles.hidden)}
      data-branch={branch.id}
      data-state={state}
      data-ticked={isTicked || undefined}
      data-current={isCurrent || undefined}
      onClick={() => onPoint(branch)}
      onDoubleClick={() => onOpen(branch)}
    >
      <span
        className={styles.tick}
        aria-hidden
        data-tick
        onClick={(event) => {
          event.stopPropagation();
          onTick(branch);
        }}
      >
        <Tick size={14} />
      </span>
      <span className={styles.name} role="gridcell">
        <b dir="auto">{name}</b>
        {state === 'head' ? (
          <Glyph name="head" label="HEAD" />
        ) : (
          <span className={cx(styles.state, state === 'merged' && styles.merged)}>
            {state === 'merged' && <Glyph name="branchSummary" size={10} plain />} {BRANCH_STATES[state]}
          </span>
        )}
        {forks[0] && (
          <button
            type="button"
            className={styles.fork}
            tabIndex={-1}
            title={`Forked to ${forks.map((fork) => `“${shownTitle(fork)}”`).join(', ')}`}
            aria-label={`Open the fork “${shownTitle(forks[0])}”`}
            onClick={(event) => {
              event.stopPropagation();
              onFork(forks[0] as SessionSummary);
            }}
          >
            <GitFork size={12} aria-hidden /> {forks.length > 1 && forks.length}
          </button>
        )}
      </span>
      <span className={styles.when} role="gridcell">
        {formatWhen(lastTime, now)}
      </span>
      <span className={styles.figures} role="gridcell">
        {figuresOf(branch)}
      </span>
      <span className={styles.cost} role="gridcell">
        {!isCostUnknown ? formatCost(cost) : cost === 0 ? <span title="Cost unknown">?</span> : `≥ ${formatCost(cost)}`}
      </span>
    </div>
  );
});
