import { ArrowDown, Check, Search } from 'lucide-react';
import { own } from '@shared/checks';
import { BRANCH_SORTS, type BranchList, type BranchSort } from '@shared/graph/branches';
import { plural } from '../../state/format';
import { useApp, useSessions, useSummary } from '../../state/hooks';
import { shownTitle } from '../../state/sessions-store';
import { Button, DropdownMenu, Input, type MenuItem } from '../../ui';
import { useGraph } from './context';
import styles from './branch-list.module.css';
import graphStyles from './graph.module.css';
import { HeadButtons } from './head-buttons';
import { PaneTabs, PaneTitle } from './pane-tabs';
import { visibleString } from '@shared/policy/visible-text';

const SORT_NAMES: Record<BranchSort, string> = {
  activity: 'Last activity',
  cost: 'Cost',
  turns: 'Turns',
  name: 'Name',
};

interface BranchBarProps {
  filter: string;
  onFilter: (filter: string) => void;
  onClose: (() => void) | null;
}

/** The head of the pane while it lists branches: tabs, filter, size. */
export function BranchBar({ filter, onFilter, onClose }: BranchBarProps) {
  return (
    <div className={graphStyles.top}>
      <header className={styles.bar}>
        <PaneTitle />
        <PaneTabs />
        <div className={styles.filter}>
          <Input
            type="text"
            role="searchbox"
            data-graph-search
            aria-label="Filter branches"
            placeholder="Filter branches"
            lead={<Search size={12} aria-hidden />}
            value={filter}
            maxLength={200}
            onChange={(event) => onFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') onFilter('');
              else if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
              event.preventDefault();
              event.stopPropagation();
              event.currentTarget
                .closest('[data-pane="graph"]')
                ?.querySelector<HTMLElement>('[data-branch-list]')
                ?.focus();
            }}
          />
        </div>
        <HeadButtons what="Branches" onClose={onClose} />
      </header>
    </div>
  );
}

interface ListHeadProps {
  list: BranchList;
  hidden: number;
  sort: BranchSort;
  onSort: (sort: BranchSort) => void;
}

/** How many there are, in which order they stand, and where the session was forked from. */
export function ListHead({ list, hidden, sort, onSort }: ListHeadProps) {
  const items = BRANCH_SORTS.map((kind): MenuItem => ({
    id: kind,
    label: SORT_NAMES[kind],
    icon: <span className={styles.check}>{kind === sort && <Check size={14} />}</span>,
    onSelect: () => onSort(kind),
  }));
  return (
    <>
      <div className={styles.head}>
        <span data-counts>
          {plural(list.branches.length, 'branch', 'branches')} · {plural(list.sum.turns, 'turn')}
        </span>
        <span className={styles.headEnd}>
          {hidden > 0 && <span>Hidden {hidden.toLocaleString('en')}</span>}
          <DropdownMenu
            align="end"
            items={items}
            trigger={
              <button type="button" className={styles.sort} aria-label={`Sorted by ${SORT_NAMES[sort].toLowerCase()}`}>
                {SORT_NAMES[sort]} <ArrowDown size={11} aria-hidden />
              </button>
            }
          />
        </span>
      </div>
      <ForkedFrom />
    </>
  );
}

/** The way back to the session that this one was forked from (GR18). */
function ForkedFrom() {
  const app = useApp();
  const { session } = useGraph();
  const fork = useSummary(session.id)?.fork;
  const source = useSessions((state) => (fork ? own(state.byId, fork.of) : undefined));
  if (!fork) return null;
  const name = visibleString(fork.title);
  return (
    <p className={styles.forkedFrom}>
      Forked from{' '}
      {source ? (
        <Button tone="link" onClick={() => app.activate(source.id)}>
          {shownTitle(source)}
        </Button>
      ) : name === '' ? (
        'a session that is no longer here'
      ) : (
        `“${name}”, which is no longer here`
      )}
    </p>
  );
}
