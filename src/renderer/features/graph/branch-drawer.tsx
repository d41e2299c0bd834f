import { type KeyboardEvent, useRef, useState, useSyncExternalStore } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { PanelLeft, PanelLeftClose, Search } from 'lucide-react';
import type { Branch } from '@shared/graph/branches';
import { act, actionOfKey } from '../../actions/menus';
import { BRANCH_STATES } from '../../state/branch-names';
import { costInWords, formatWhen, plural } from '../../state/format';
import { useCostUnknown, useLive, useSettings, useUi } from '../../state/hooks';
import { hasUnknownPrice } from '../../state/settings-store';
import { splitWidth } from '../../state/ui-store';
import { cx, Glyph, IconButton, Input, PointMenu } from '../../ui';
import styles from './branch-drawer.module.css';
import { endOfBranch, menuOfBranch, readAt, readBranch, targetOfBranch } from './branch-target';
import { useGraph } from './context';
import { useBranchList, useWords } from './use-branch-list';
import { isMenuKey } from './use-keys';
import { readThere, show, showTurns, targetAt } from './view';
import { headState, isAtWork } from './words';

const ROW = 64; // pixels
/** Pixels that the canvas has to have for the drawer beside it. */
const LEAST_CANVAS = 412;
const DRAWER = 228;

function subscribe(onChange: () => void): () => void {
  window.addEventListener('resize', onChange);
  return () => window.removeEventListener('resize', onChange);
}

/** Whether the branches stand beside the canvas: where that has the whole window and room for them, and they are not folded away. */
export function useDrawer(): 'open' | 'folded' | 'none' {
  const layout = useUi((ui) => ui.layout);
  const { graphFull, graphSplit, graphOutline, graphDrawer } = layout;
  const fits = useSyncExternalStore(subscribe, () => {
    const { innerWidth } = window;
    return innerWidth - (graphSplit ? splitWidth(layout, innerWidth) : 0) >= DRAWER + LEAST_CANVAS;
  });
  if (!graphFull || graphOutline || !fits) return 'none';
  return graphDrawer ? 'open' : 'folded';
}

/** In the head of the canvas while the drawer is folded away. */
export function ShowDrawer() {
  const { app } = useGraph();
  if (useDrawer() !== 'folded') return null;
  return (
    <IconButton size="small" label="Show the list of branches" onClick={() => app.setLayout({ graphDrawer: true })}>
      <PanelLeft size={14} />
    </IconButton>
  );
}

/** The branches at the left of the canvas: to find one, and to see it where it stands (GR8, GR17). */
export function BranchDrawer() {
  const scope = useGraph();
  const { app, store, session } = scope;
  const [filter, setFilter] = useState('');
  const { list, rows, nameFor, other } = useBranchList(store.memory.get().sort, filter);
  const isCostUnknown = useCostUnknown(session);
  const providers = useSettings((state) => state.providers);
  const [cursor, setCursor] = useState<string | null>(null);
  const [menuAt, setMenuAt] = useState<{ x: number; y: number } | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    rows.findIndex(({ id }) => id === cursor),
  );
  const current = rows[at];
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  const shown = items.flatMap(({ index }) => rows[index] ?? []);
  useWords(session, shown);

  /** Brings a branch into view where it begins, HEAD's where HEAD is, and has it read. */
  function see(branch: Branch): void {
    setCursor(branch.id);
    scope.overlay.setState({ preview: null });
    const node = readAt(store, branch);
    if (!showTurns(scope, node)) show(scope, node);
    readThere(scope, targetAt(scope, node, endOfBranch(store, branch)));
  }
  function go(index: number): void {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (!row) return;
    virtual.scrollToIndex(rows.indexOf(row), { align: 'auto' });
    see(row);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !current) return;
    if (!walk(event.key) && !serve(event, current)) return;
    event.preventDefault();
    event.stopPropagation();
  }
  function walk(key: string): boolean {
    const steps: Partial<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: rows.length - 1,
    };
    const next = Object.hasOwn(steps, key) ? steps[key] : undefined;
    if (next !== undefined) go(next);
    return next !== undefined;
  }
  function serve(event: KeyboardEvent, branch: Branch): boolean {
    if (event.key === 'Escape') focusCanvas(event.currentTarget);
    else if (event.key === ' ') see(branch);
    else if (isMenuKey(event)) openMenu(branch);
    else {
      const id = actionOfKey(app, 'branch', event.key);
      if (id === 'node.read') readBranch(scope, branch);
      else if (id) act(app, id, targetOfBranch(scope, branch, nameFor(branch)));
      return id !== undefined;
    }
    return true;
  }
  function openMenu(branch: Branch, point?: { x: number; y: number }): void {
    setCursor(branch.id);
    const box = document.getElementById(rowId(branch))?.getBoundingClientRect();
    setMenuAt(point ?? { x: (box?.left ?? 0) + 40, y: (box?.bottom ?? 0) - 6 });
  }
  const branchAt = (target: EventTarget): Branch | undefined => {
    const id = (target as Element).closest<HTMLElement>('[data-branch]')?.dataset.branch;
    return rows.find((row) => row.id === id);
  };

  return (
    <section className={styles.drawer} aria-label="Branches beside the canvas" data-branch-drawer>
      <header className={styles.head}>
        <h2>Branches</h2>
        <span>{list.branches.length.toLocaleString('en')}</span>
        <IconButton size="small" label="Fold the list away" onClick={() => app.setLayout({ graphDrawer: false })}>
          <PanelLeftClose size={14} />
        </IconButton>
      </header>
      <div className={styles.filter}>
        <Input
          type="text"
          role="searchbox"
          aria-label="Filter the branches"
          placeholder="Filter"
          lead={<Search size={12} aria-hidden />}
          value={filter}
          maxLength={200}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && filter !== '') setFilter('');
            else if (event.key === 'Escape') focusCanvas(event.currentTarget);
            else if (event.key === 'ArrowDown' || event.key === 'Enter') scroller.current?.focus();
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      </div>
      <div
        ref={scroller}
        className={styles.rows}
        role="listbox"
        aria-label="Branches"
        aria-activedescendant={current && rowId(current)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onClick={({ target }) => {
          const branch = branchAt(target);
          if (branch) see(branch);
        }}
        onDoubleClick={({ target }) => {
          const branch = branchAt(target);
          if (branch) act(app, 'node.go', targetOfBranch(scope, branch, nameFor(branch)));
        }}
        onContextMenu={(event) => {
          const branch = branchAt(event.target);
          event.preventDefault();
          if (branch) openMenu(branch, { x: event.clientX, y: event.clientY });
        }}
      >
        <div role="presentation" className={styles.sizer} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const branch = rows[index];
            if (!branch) return null;
            return (
              <div
                key={branch.id}
                id={rowId(branch)}
                role="option"
                aria-selected={branch === current}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                className={cx(
                  styles.row,
                  branch.state === 'head' && styles.live,
                  branch.state === 'hidden' && styles.hidden,
                )}
                style={{ top: start }}
                data-branch={branch.id}
                data-state={branch.state}
                data-current={branch === current || undefined}
              >
                <b dir="auto">{nameFor(branch).text}</b>
                <State branch={branch} />
                <small>
                  {plural(branch.turns, 'turn')} ·{' '}
                  {costInWords(branch.cost, hasUnknownPrice(providers, branch.unpriced))}
                </small>
              </div>
            );
          })}
        </div>
        {rows.length === 0 && filter.trim() !== '' && (
          <p className={styles.none}>No branch has “{filter.trim()}” in its name.</p>
        )}
      </div>
      <footer className={styles.foot}>
        Session: {plural(list.sum.turns, 'turn')} · {costInWords(list.sum.cost + other, isCostUnknown)}
      </footer>
      {menuAt && current && (
        <PointMenu
          at={menuAt}
          items={menuOfBranch(scope, current, nameFor(current))}
          onClose={() => setMenuAt(null)}
          returnTo={() => scroller.current}
        />
      )}
    </section>
  );
}

/** `HEAD · streaming`, `open · 11:58`, `merged ◇ Fri`. */
function State({ branch: { state, lastTime } }: { branch: Branch }) {
  const { app, session } = useGraph();
  const atWork = useLive(session, (live) => (isAtWork(live) ? headState(live) : null));
  const when = formatWhen(lastTime, app.now());
  if (state === 'merged') {
    return (
      <small>
        {BRANCH_STATES.merged} <Glyph name="branchSummary" size={9} /> {when}
      </small>
    );
  }
  return (
    <small>
      {BRANCH_STATES[state]} · {state === 'head' && atWork ? atWork : when}
    </small>
  );
}

const rowId = ({ first }: Branch): string => `drawer-branch-${first.index}`;

function focusCanvas(from: Element): void {
  from.closest('[data-pane="graph"]')?.querySelector<HTMLElement>('[data-graph]')?.focus({ preventScroll: true });
}
