/** A path of a session that is read while HEAD stays where it is (GR12): its rows and figures. Nothing of it is kept over a reload. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { PathHead } from '@shared/ipc/tree-types';
import type { Row } from '@shared/session-state/state';
import type { StoredLine } from '@shared/types';
import { toAppError, type BulkHandle, type Client } from '../bridge';

/** Rows wait until they are this part of those that are there: all are gone through each time that some come. */
const SHARE = 8;

export interface ReadingPath extends Omit<PathHead, 'isHead' | 'lines' | 'rowsAfter' | 'leafId'> {
  leafId: string;
  /** Another number is another path: what is drawn of one is not gone on with for the next. */
  nth: number;
  /** In path order; `rowsBefore` others precede them, and more may follow while `isLoading`. */
  rows: readonly Row[];
  isLoading: boolean;
}

export interface ReadingState {
  /** Null: HEAD's path is shown. */
  path: ReadingPath | null;
  /** The entry whose path is on its way: until it is there, what was shown stays. */
  opening: string | null;
}

/** What became of the wish to read an entry: its path is shown, it is on HEAD's own, or another wish came. */
type ReadAnswer = 'read' | 'head' | 'superseded';

export interface ReadingStore {
  readonly state: StoreApi<ReadingState>;
  /**
   * Shows the path through an entry, and through `endId` behind it. Resolves as soon as its rows are there. @throws AppError: then nothing
   * has changed
   */
  read(entryId: string, endId?: string): Promise<ReadAnswer>;
  /** HEAD's path again. */
  leave(): void;
  /** HEAD has gone elsewhere, to `leafId`: what both have in common is another part of them. What it has come to is no longer read apart. */
  moved(leafId: string | null): void;
  close(): void;
}

interface Deps {
  sessionId: string;
  client: Client;
  /** Takes lines that came with a path. */
  take: (lines: readonly StoredLine[]) => void;
  /** A path could not be read to its ends. */
  onProblem: (text: string) => void;
}

const HEADS: ReadingState = { path: null, opening: null };

/** Makes the store; nothing is asked for until `read`. */
export function createReadingStore({ sessionId, client, take, onProblem }: Deps): ReadingStore {
  const state = createStore<ReadingState>(() => HEADS);
  let bulk: BulkHandle | null = null;
  let asks = 0;
  let paths = 0;
  /** Tells who waits for the path that is on its way. */
  let answer: (what: ReadAnswer) => void = () => undefined;
  /** How often HEAD went elsewhere so far, and how often it had when main was asked for the path that is shown. */
  let moves = 0;
  let movesThen = 0;

  function stop(): void {
    asks += 1;
    bulk?.cancel();
    bulk = null;
    answer('superseded');
  }

  function leave(): void {
    stop();
    if (state.getState() !== HEADS) state.setState(HEADS, true);
  }

  async function read(entryId: string, endId?: string): Promise<ReadAnswer> {
    const { path, opening } = state.getState();
    // Within the branch that is read there is nothing to ask for.
    const isOn = endId === undefined || path?.rows.some(({ id }) => id === endId);
    if (!path || !isOn || !isOwn(path, entryId)) return open(entryId, { endId });
    // What is on its way is another one, and no longer wanted.
    if (opening !== null) stop();
    state.setState({ path: { ...path, entryId }, opening: null });
    if (opening !== null) goOn();
    return 'read';
  }

  /** The path that is shown stays: what was not asked for to its end for another's sake, or before HEAD moved, is asked for again. */
  function goOn(): void {
    const { path } = state.getState();
    if (path && (path.isLoading || movesThen !== moves)) again(path);
  }

  function open(
    entryId: string,
    { endId, isAgain = false }: { endId?: string | undefined; isAgain?: boolean },
  ): Promise<ReadAnswer> {
    stop();
    const mine = asks;
    const asked = moves;
    state.setState({ opening: entryId });
    return new Promise<ReadAnswer>((resolve, reject) => {
      answer = resolve;
      const handle = client.bulk(
        'session.path',
        { sessionId, entryId, ...(endId === undefined ? {} : { endId }) },
        ({ head, rows, isNewer }) => {
          if (mine !== asks) return;
          if (!head) return more.add(rows, isNewer === true, (state.getState().path?.rows.length ?? 0) / SHARE);
          take(head.lines);
          if (begin(head, rows, asked)) return resolve('read');
          // There is nothing more to come, or nobody wants it.
          handle.cancel();
          resolve(head.isHead ? 'head' : 'read');
        },
      );
      const change = (to: (path: ReadingPath) => Partial<ReadingPath>): void => {
        const { path } = state.getState();
        if (mine === asks && path) state.setState({ path: { ...path, ...to(path) } });
      };
      const more = createBatch((rows, isNewer) =>
        change((path) => ({
          rows: isNewer ? [...path.rows, ...rows] : [...rows, ...path.rows],
          rowsBefore: isNewer ? path.rowsBefore : path.rowsBefore - rows.length,
        })),
      );
      bulk = handle;
      handle.done
        .then(
          () => more.flush(),
          (cause: unknown) => {
            if (mine !== asks) return;
            const wasOpened = state.getState().opening === null;
            state.setState({ opening: null });
            if (wasOpened) return onProblem(toAppError(cause).message);
            reject(toAppError(cause));
            // One that could not be asked for again is not asked for once more: that would have no end.
            if (!isAgain) goOn();
          },
        )
        .finally(() => change(() => ({ isLoading: false })));
    });
  }

  /** Shows the path that main has told of, when HEAD had moved so often. True: the rest of its rows is wanted. */
  function begin(
    { isHead, lines: _lines, rowsAfter, leafId, ...head }: PathHead,
    rows: readonly Row[],
    asked: number,
  ): boolean {
    if (isHead || leafId === null) {
      state.setState(HEADS, true);
      return false;
    }
    const before = state.getState().path;
    // The branch that is read already, all of it there: its list stays, with other figures.
    const isSame = before !== null && before.leafId === leafId && !before.isLoading;
    const nth = before?.leafId === leafId ? before.nth : ++paths;
    const isLoading = !isSame && head.rowsBefore + rowsAfter > 0;
    const kept = isSame ? { rows: before.rows, rowsBefore: before.rowsBefore } : { rows };
    state.setState({ path: { ...head, leafId, nth, isLoading, ...kept }, opening: null }, true);
    movesThen = asked;
    if (asked !== moves) queueMicrotask(() => again({ entryId: head.entryId, leafId }));
    return isLoading;
  }

  /** To where it went, whatever was said beside it since. */
  function again({ entryId, leafId }: Pick<ReadingPath, 'entryId' | 'leafId'>): void {
    open(entryId, { endId: leafId, isAgain: true }).catch((cause: unknown) => onProblem(toAppError(cause).message));
  }

  return {
    state,
    read,
    leave,
    moved(leafId) {
      const { path, opening } = state.getState();
      moves += 1;
      if (opening !== null) return;
      if (path && leafId !== null && isOwn(path, leafId)) leave();
      else if (path) again(path);
    },
    close: stop,
  };
}

/** Whether an entry stands behind what a path has in common with HEAD's. O(rows). */
function isOwn({ rows, rowsBefore, shared }: ReadingPath, entryId: string): boolean {
  const at = rows.findLastIndex(({ id }) => id === entryId);
  return at >= 0 && rowsBefore + at >= shared;
}

/** Gathers rows of one side until there are enough of them. */
function createBatch(put: (rows: Row[], isNewer: boolean) => void): {
  add(rows: readonly Row[], isNewer: boolean, enough: number): void;
  flush(): void;
} {
  let chunks: (readonly Row[])[] = [];
  let ofNewer = true;
  let count = 0;
  const flush = (): void => {
    const rows = (ofNewer ? chunks : chunks.reverse()).flat();
    chunks = [];
    count = 0;
    if (rows.length > 0) put(rows, ofNewer);
  };
  return {
    add(rows, isNewer, enough) {
      if (isNewer !== ofNewer) flush();
      ofNewer = isNewer;
      chunks.push(rows);
      count += rows.length;
      if (count >= enough) flush();
    },
    flush,
  };
}
