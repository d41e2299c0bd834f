/** Finding in the branch graph (GR19): what is asked, which turns have it, at which one the person is. */
import type { BranchGraph } from '@shared/graph/branch-graph';
import { type GraphQuery, passes, readGraphQuery, type TurnFacts } from '@shared/graph/query';
import type { TurnNode } from '@shared/graph/turns';
import { MOST_EXCERPTS, type TreeAnswer, type TreeExcerpt } from '@shared/search/types';
import { findIn, findSome, readQuery, type Span } from '@shared/search/words';
import { toAppError, type Client } from '../bridge';

/** A turn that was found. */
export interface GraphHit {
  node: TurnNode;
  /** What of it was found; `loose`: all words, in different places; `filter`: it passes the filters, and nothing else was asked. */
  by: 'label' | 'branch' | 'exact' | 'loose' | 'filter';
  /** The newest message with the words; null: none of its messages has them. */
  entryId: string | null;
  /** Its messages with the words. */
  count: number;
}

export interface GraphSearch {
  /** As it was typed. */
  query: string;
  asked: GraphQuery;
  /** Names, then phrases, then words anywhere; of each the newest first. */
  found: readonly GraphHit[];
  /** Their turns, in this order, and as a set. */
  hits: readonly TurnNode[];
  nodes: ReadonlySet<TurnNode>;
  /** Place among the hits; -1: none. */
  at: number;
  isPartial: boolean;
  isBusy: boolean;
  /** `journal`: there is no index yet, the file itself was read. */
  source: 'index' | 'journal';
  /** Why nothing could be found. */
  problem: string | null;
  /** Counts up with each step, also with one to where it is. */
  steps: number;
}

export const NO_GRAPH_SEARCH: GraphSearch = {
  ...{ query: '', asked: { words: '', filters: [], unknown: [] }, found: [], hits: [], nodes: new Set(), at: -1 },
  ...{ isPartial: false, isBusy: false, source: 'index', problem: null, steps: 0 },
};

/** Milliseconds after the last key until the session is searched. */
const PAUSE_MS = 150;
/** While the index is being made, or read on, the same is asked again. */
const AGAIN_MS = 500;
/** Excerpts that are kept. */
const MOST_KEPT = 2_000;

interface Deps {
  sessionId: string;
  client: Client;
  graph: () => BranchGraph;
  /** What filters ask of turns; the same object as long as nothing of it has changed. */
  facts: () => TurnFacts;
  get: () => GraphSearch;
  set: (search: GraphSearch) => void;
}

/** The hits of one session, walked. Never throws. */
export class GraphSearcher {
  private asks = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The question that is on its way; resolves once it is answered, or given up. */
  private asking: Promise<void> | null = null;
  private excerpts = new Map<string, TreeExcerpt | null>();

  constructor(private readonly deps: Deps) {}

  /** Another question; it is asked once nobody types. What is still on its way answers none that anybody has. */
  ask(query: string): void {
    const { get, set } = this.deps;
    if (query === get().query) return;
    this.halt();
    const asked = readGraphQuery(query);
    if (asked.words !== get().asked.words) this.excerpts = new Map();
    if (query.trim() === '') return set({ ...NO_GRAPH_SEARCH, query });
    set({ ...get(), query, asked, at: -1, isBusy: true });
    this.timer = setTimeout(() => void this.run(), PAUSE_MS);
  }

  /** Resolves when what was asked last is answered. */
  async answered(): Promise<void> {
    const { get } = this.deps;
    // Once for each question that takes the place of the one before meanwhile.
    for (let query: string | null = null; get().isBusy && query !== get().query;) {
      ({ query } = get());
      await (this.asking ?? this.run());
    }
  }

  /** The same once more, soon: the session has changed. What is about to be asked, or on its way, is not put off, however often it changes. */
  again(): void {
    if (this.deps.get().query.trim() === '' || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.asking) this.again();
      else void this.run();
    }, AGAIN_MS);
  }

  /** To the next or the previous hit, from the last to the first. */
  step(by: 1 | -1): GraphHit | null {
    const { found, at } = this.deps.get();
    if (found.length === 0) return null;
    return this.go(at < 0 ? (by === 1 ? 0 : found.length - 1) : (at + by + found.length) % found.length);
  }

  /** To a hit by its place. */
  go(at: number): GraphHit | null {
    const { get, set } = this.deps;
    const hit = get().found[at] ?? null;
    if (hit) set({ ...get(), at, steps: get().steps + 1 });
    return hit;
  }

  /** The excerpt of a hit; undefined: not read yet; null: there is none. */
  excerptOf({ entryId }: GraphHit): TreeExcerpt | null | undefined {
    return entryId === null || this.deps.get().source !== 'index' ? null : this.excerpts.get(entryId);
  }

  /** Reads the excerpts of hits that are about to be seen. */
  async read(hits: readonly GraphHit[]): Promise<void> {
    const { client, sessionId, graph, get } = this.deps;
    const { words } = get().asked;
    const into = this.excerpts;
    const wanted = hits.filter((hit) => this.excerptOf(hit) === undefined).slice(0, MOST_EXCERPTS);
    const asked = wanted.flatMap(({ entryId, by }) => {
      const seq = entryId === null ? undefined : graph().turns.place(entryId)?.seq;
      return entryId === null || seq === undefined ? [] : { entryId, seq, exact: by === 'exact' };
    });
    if (asked.length === 0) return;
    const { excerpts } = await client
      .request('search.excerpts', { sessionId, query: words, hits: asked })
      .catch(() => ({ excerpts: null }));
    // Nothing is known of them then; they are asked for when they are seen the next time.
    if (!excerpts) return;
    for (const { entryId } of asked) into.set(entryId, null);
    for (const excerpt of excerpts) into.set(excerpt.entryId, excerpt);
    for (const id of into.keys()) if (into.size > MOST_KEPT) into.delete(id);
  }

  /** What was read of the session holds no more. */
  stop(): void {
    this.halt();
    this.excerpts = new Map();
  }

  /** What is about to be asked is not, and what is on its way answers nobody. */
  private halt(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.asks++;
    this.asking = null;
  }

  private run(): Promise<void> {
    this.halt();
    const asking = this.answer(this.asks).finally(() => {
      if (this.asking === asking) this.asking = null;
    });
    this.asking = asking;
    return asking;
  }

  private async answer(mine: number): Promise<void> {
    const { client, sessionId, get, set } = this.deps;
    const { words } = get().asked;
    const isOver = (): boolean => mine !== this.asks;
    let answer: TreeAnswer = { exact: [], loose: [], isPartial: false, state: 'read' };
    let source: GraphSearch['source'] = 'index';
    let problem: string | null = null;
    try {
      if (words !== '') answer = await client.request('search.tree', { sessionId, query: words });
    } catch {
      answer = { ...answer, state: 'unread' };
    }
    if (isOver()) return;
    if (answer.state === 'unread') {
      source = 'journal';
      try {
        const { entryIds, isPartial } = await client.request('session.search', { sessionId, query: words });
        answer = { ...answer, loose: entryIds, isPartial };
      } catch (cause) {
        problem = toAppError(cause).message;
      }
      if (isOver()) return;
    }
    if (answer.state !== 'read') this.again();
    const before = get();
    const found = hitsOf(this.deps.graph(), before.asked, answer, this.deps.facts());
    const here = before.found[before.at]?.node;
    const hits = found.map(({ node }) => node);
    const at = here ? hits.indexOf(here) : -1;
    const { isPartial } = answer;
    set({ ...before, found, hits, nodes: new Set(hits), at, isPartial, isBusy: false, source, problem });
  }
}

const RANKS: readonly GraphHit['by'][] = ['label', 'branch', 'exact', 'loose', 'filter'];

/** The turns that answer: those with the words in a label, a branch's name, a message; all of them pass the filters. O(turns + entries found). */
function hitsOf(graph: BranchGraph, asked: GraphQuery, { exact, loose }: TreeAnswer, facts: TurnFacts): GraphHit[] {
  const hits = new Map<TurnNode, GraphHit>();
  const isWanted = (node: TurnNode): boolean => asked.filters.length === 0 || passes(node, asked.filters, facts);
  const add = (node: TurnNode | undefined, by: GraphHit['by'], entryId: string | null): void => {
    if (!node) return;
    const known = hits.get(node);
    if (known) {
      known.count++;
      known.entryId ??= entryId;
    } else if (isWanted(node)) hits.set(node, { node, by, entryId, count: entryId === null ? 0 : 1 });
  };
  if (asked.words === '') for (const node of graph.turns.nodes) add(node, 'filter', null);
  else {
    const has = namedBy(asked.words);
    for (const node of graph.turns.nodes) {
      if (has(facts.label(node) ?? '')) add(node, 'label', null);
      else if (has(facts.startOf(node))) add(node, 'branch', null);
    }
    for (const [ids, by] of [
      [exact, 'exact'],
      [loose, 'loose'],
    ] as const)
      // prettier-ignore
      for (const id of ids) add(graph.turns.place(id)?.node, by, id);
  }
  return [...hits.values()].sort((a, b) => RANKS.indexOf(a.by) - RANKS.indexOf(b.by) || b.node.index - a.node.index);
}

/** Whether a name has the words, wherever they stand in it. */
function namedBy(words: string): (name: string) => boolean {
  const wanted = words.toLowerCase();
  const query = readQuery(words, { exact: false, matchCase: false });
  const hasAll = (name: string): boolean => query !== null && findIn(name, query).length > 0;
  return (name) => name !== '' && (name.toLowerCase().includes(wanted) || hasAll(name));
}

/** Where a text has the words; the phrase alone where it was found as one. */
export function marksIn(text: string, words: string, exact: boolean): Span[] {
  const query = readQuery(words, { exact, matchCase: false });
  return query ? findSome(text, query) : [];
}
