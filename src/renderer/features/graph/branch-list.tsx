import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { Branch, BranchFigures, BranchSort } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import { hideBranches, restoreBranches } from '../../actions/branches';
import { compare } from '../../actions/compare';
import type { NodeTarget } from '../../actions/action';
import { act, actionOfKey, verdictOn } from '../../actions/menus';
import { costInWords, formatTokens, plural } from '../../state/format';
import { forksFrom, forksOf } from '../../state/forks';
import { useApp, useCostUnknown, useSessions, useSettings } from '../../state/hooks';
import { hasUnknownPrice } from '../../state/settings-store';
import { PointMenu } from '../../ui';
import { endOfBranch, menuOfBranch, readAt, readBranch, targetOfBranch } from './branch-target';
import { useGraph } from './context';
import { isMenuKey } from './use-keys';
import { readThere, targetAt } from './view';
import styles from './branch-list.module.css';
import { BranchRow } from './branch-row';
import { ListHead } from './list-head';
import { PANEL_ID } from './pane-tabs';
import { TickedBar } from './ticked-bar';
import { useBranchList, useWords } from './use-branch-list';

/** Pixels. */
const HEIGHTS = { branch: 52, hidden: 27, other: 36, sum: 36 } as const;

type Line = { kind: 'branch'; branch: Branch } | { kind: 'hidden' | 'other' | 'sum' };

/** The branches of the session as things that can be named, compared and put away (GR17). */
export function BranchListView({ filter }: { filter: string }) {
  const app = useApp();
  const scope = useGraph();
  const { store, session } = scope;
  const [sort, setSort] = useState<BranchSort>(() => store.memory.get().sort);
  const { list, rows, hidden, nameFor, other } = useBranchList(sort, filter);
  const [ticks, setTicks] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState<string | null>(null);
  const [menuAt, setMenuAt] = useState<{ x: number; y: number } | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const sessions = useSessions((state) => state.byId);
  const isCostUnknown = useCostUnknown(session);
  const providers = useSettings((state) => state.providers);
  const isUnpriced = ({ unpriced }: Branch): boolean => hasUnknownPrice(providers, unpriced);
  const forks = useMemo(() => forksOf(sessions, session.id), [sessions, session]);
  const isFiltered = filter.trim() !== '';
  const lines = useMemo(() => linesOf(rows, hidden, other > 0 && !isFiltered), [rows, hidden, other, isFiltered]);
  const total = isFiltered ? sumOf(rows) : { ...list.sum, cost: list.sum.cost + other };
  const at = Math.max(
    0,
    rows.findIndex(({ id }) => id === cursor),
  );
  const current = rows[at];
  const ticked = rows.filter(({ id }) => ticks.has(id));
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHTS[lines[index]?.kind ?? 'branch'],
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  useEffect(() => virtual.measure(), [virtual, lines]);
  const shown = items.flatMap(({ index }) => {
    const line = lines[index];
    return line?.kind === 'branch' ? [line.branch] : [];
  });
  useWords(session, shown);

  const lineOf = (index: number): number => (index >= rows.length - hidden ? index + 1 : index);
  const go = (index: number): void => {
    const next = Math.min(rows.length - 1, Math.max(0, index));
    const row = rows[next];
    if (!row) return;
    setCursor(row.id);
    virtual.scrollToIndex(lineOf(next), { align: 'auto' });
  };
  const tick = ({ id }: Branch): void =>
    setTicks((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const endOf = (branch: Branch): TurnNode => endOfBranch(store, branch);
  const targetFor = (branch: Branch): NodeTarget => targetOfBranch(scope, branch, nameFor(branch));
  const open = (branch: Branch): void => act(app, 'node.go', targetFor(branch));
  const point = (branch: Branch): void => {
    setCursor(branch.id);
    readThere(scope, targetAt(scope, readAt(store, branch), endOfBranch(store, branch)));
  };
  const compareTicked = (): void => {
    const [a, b] = ticked;
    if (a && b) compare(app, { sessionId: session.id, a: endOf(a).tailId, b: endOf(b).tailId });
  };
  const canHide = (branch: Branch): boolean =>
    branch.state !== 'hidden' && verdictOn(app, 'entry.hide', targetFor(branch)) === true;
  const putAway = async (branches: readonly Branch[]): Promise<void> => {
    const ids = branches.filter(canHide).map(({ id }) => id);
    if (await hideBranches(app, session.id, ids)) setTicks(new Set());
  };
  const restore = async (branches: readonly Branch[]): Promise<void> => {
    const cuts = branches.flatMap(({ first }) => targetAt(scope, first).hiddenAt ?? []);
    if (await restoreBranches(app, session.id, [...new Set(cuts)])) setTicks(new Set());
  };

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!current || !(walk(event.key) || serve(event, current))) return;
    event.preventDefault();
    event.stopPropagation();
  }

  function walk(key: string): boolean {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 300) / HEIGHTS.branch) - 1);
    const steps = new Map([
      ...([['ArrowDown', at + 1], ['ArrowUp', at - 1], ['PageDown', at + page], ['PageUp', at - page]] as const), // prettier-ignore
      ...([['Home', 0], ['End', rows.length - 1]] as const), // prettier-ignore
    ] as [string, number][]);
    const next = steps.get(key);
    if (next !== undefined) go(next);
    return next !== undefined;
  }

  function serve(event: KeyboardEvent, branch: Branch): boolean {
    if (event.key === ' ') tick(branch);
    else if (isMenuKey(event)) openMenu(branch);
    else if (event.key === 'Escape' && ticks.size > 0) setTicks(new Set());
    else if (event.key === 'Delete' || event.key.toLowerCase() === 'h') {
      // One that can't be hidden says why.
      if (branch.state === 'hidden') void restore([branch]);
      else if (canHide(branch)) void putAway([branch]);
      else act(app, 'entry.hide', targetFor(branch));
    } else {
      const id = actionOfKey(app, 'branch', event.key);
      if (id === 'node.read') readBranch(scope, branch);
      else if (id) act(app, id, targetFor(branch));
      return id !== undefined;
    }
    return true;
  }

  function openMenu(branch: Branch, point?: { x: number; y: number }): void {
    setCursor(branch.id);
    const box = document.getElementById(rowId(branch))?.getBoundingClientRect();
    setMenuAt(point ?? { x: (box?.left ?? 0) + 40, y: (box?.bottom ?? 0) - 6 });
  }

  return (
    <div className={styles.panel} id={PANEL_ID} role="tabpanel" aria-label="Branches">
      <ListHead
        list={list}
        hidden={hidden}
        sort={sort}
        onSort={(next) => {
          setSort(next);
          store.memory.set({ sort: next });
        }}
      />
      <div
        ref={scroller}
        className={styles.scroller}
        role="grid"
        aria-label="Branches"
        aria-multiselectable
        aria-rowcount={lines.length}
        aria-activedescendant={current && rowId(current)}
        tabIndex={0}
        data-branch-list
        onKeyDown={onKeyDown}
        onContextMenu={(event) => {
          const id = (event.target as Element).closest<HTMLElement>('[data-branch]')?.dataset.branch;
          const branch = rows.find((row) => row.id === id);
          event.preventDefault();
          if (branch) openMenu(branch, { x: event.clientX, y: event.clientY });
        }}
      >
        <div className={styles.sizer} role="presentation" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const line = lines[index];
            if (!line) return null;
            return (
              <div key={index} role="presentation" className={styles.place} style={{ top: start }}>
                {line.kind === 'branch' ? (
                  <BranchRow
                    branch={line.branch}
                    name={nameFor(line.branch).text}
                    isCostUnknown={isUnpriced(line.branch)}
                    id={rowId(line.branch)}
                    line={index + 1}
                    isTicked={ticks.has(line.branch.id)}
                    isCurrent={line.branch === current}
                    forks={forksFrom(forks, store.graph, line.branch, list)}
                    now={app.now()}
                    onPoint={point}
                    onTick={tick}
                    onOpen={open}
                    onFork={({ id }) => app.activate(id)}
                  />
                ) : line.kind === 'hidden' ? (
                  <HiddenHead
                    line={index + 1}
                    ticked={ticked.filter(({ state }) => state === 'hidden').length}
                    onRestore={(some) =>
                      void restore(rows.filter(({ id, state }) => state === 'hidden' && (!some || ticks.has(id))))
                    }
                  />
                ) : line.kind === 'other' ? (
                  <SumRow line={index + 1} name="Other" what="titles and the like" cost={other} />
                ) : (
                  <SumRow
                    line={index + 1}
                    name={isFiltered ? `${rows.length} shown` : other > 0 ? 'All of it' : 'All branches'}
                    what={`${plural(total.turns, 'turn')} · ${formatTokens(total.tokens)} tokens`}
                    cost={total.cost}
                    isPartUnknown={isFiltered ? rows.some(isUnpriced) : isCostUnknown}
                    isLast
                  />
                )}
              </div>
            );
          })}
        </div>
        {rows.length === 0 && isFiltered && (
          <p className={styles.none} role="row">
            <span role="gridcell">No branch has “{filter.trim()}” in its name.</span>
          </p>
        )}
      </div>
      {ticked.length > 0 && (
        <TickedBar
          ticked={ticked}
          canHide={ticked.some(canHide)}
          onCompare={compareTicked}
          onHide={() => void putAway(ticked)}
          onRestore={() => void restore(ticked)}
        />
      )}
      {menuAt && current && (
        <PointMenu
          at={menuAt}
          items={menuOfBranch(scope, current, nameFor(current))}
          onClose={() => setMenuAt(null)}
          returnTo={() => scroller.current}
        />
      )}
    </div>
  );
}

/** What the rows of a filter come to. */
function sumOf(rows: readonly Branch[]): BranchFigures {
  const sum: BranchFigures = { turns: 0, tokens: 0, cost: 0 };
  for (const { turns, tokens, cost } of rows) {
    sum.turns += turns;
    sum.tokens += tokens;
    sum.cost += cost;
  }
  return sum;
}

function rowId({ first }: Branch): string {
  return `branch-${first.index}`;
}

/** HEAD's branch and the others, the hidden ones under a head of their own, and what all of it comes to. */
function linesOf(rows: readonly Branch[], hidden: number, hasOther: boolean): Line[] {
  const all = rows.map((branch): Line => ({ kind: 'branch', branch }));
  const shown = rows.length - hidden;
  return [
    ...all.slice(0, shown),
    ...(hidden > 0 ? [{ kind: 'hidden' } as const, ...all.slice(shown)] : []),
    ...(rows.length > 0 && hasOther ? [{ kind: 'other' } as const] : []),
    ...(rows.length > 0 ? [{ kind: 'sum' } as const] : []),
  ];
}

function HiddenHead({ line, ticked, onRestore }: { line: number; ticked: number; onRestore: (some: boolean) => void }) {
  return (
    <div className={styles.hiddenHead} role="row" aria-rowindex={line}>
      <span role="gridcell">Hidden</span>
      <span role="gridcell">
        <button type="button" className={styles.link} onClick={() => onRestore(ticked > 0)}>
          {ticked > 0 ? 'Restore ticked' : 'Restore'}
        </button>
      </span>
    </div>
  );
}

interface SumRowProps {
  line: number;
  name: string;
  what: string;
  cost: number;
  isPartUnknown?: boolean;
  isLast?: boolean;
}

function SumRow({ line, name, what, cost, isPartUnknown = false, isLast }: SumRowProps) {
  return (
    <div className={styles.sum} role="row" aria-rowindex={line} data-sum={isLast ? 'all' : 'other'}>
      <span role="gridcell">{name}</span>
      <span role="gridcell">{what}</span>
      <b role="gridcell">{costInWords(cost, isPartUnknown)}</b>
    </div>
  );
}
