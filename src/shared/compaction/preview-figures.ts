import { inputBudget } from './request-body';
import { DEFAULT_RESERVE_TOKENS } from './limits';
import { estimateOf } from './plan';
import type { PlanEstimates } from './plan';
import type { CompactPreview, PreviewItem, SummaryModel } from './preview';

/** What a cut comes to. Tokens as in `PlanEstimates`. */
export interface CutFigures extends PlanEstimates {
  /** Messages that the summary stands for. */
  messages: number;
  /** Messages that stay. */
  keptMessages: number;
  /** Distinct files that the summary will name; null: not known. */
  files: number | null;
  /** The cut goes through a turn. */
  isSplit: boolean;
}

/** What a summary asks of the model that writes it; tokens as that model counts them. */
export interface SummaryWork {
  requests: number;
  input: number;
  output: number;
}

/** More requests than this are a job that a person hears of before it begins (SH2). */
const MANY_REQUESTS = 8;
/** Tokens that a model reads and writes in a second, where nothing was measured: those of a large one at a provider. */
const READS_PER_S = 2000;
const WRITES_PER_S = 50;

/** Messages that stand beside a summary in their own words. */
export interface WordForWord {
  /** Their places in the window; pinned ones may be among them. */
  places: ReadonlySet<number>;
  /** How many more lie before the window. */
  earlier: number;
  /** Raw tokens, without what is pinned anyway. */
  tokens: number;
}

/** Sums over a preview, so that each place of the cut line costs O(1) (PL13). Building it is O(items). */
export class PreviewFigures {
  /** Places where the window may be cut: positions of the first kept item, ascending. */
  readonly cuts: readonly number[];
  /** Of the items before a position: raw tokens, tokens sent, pins, files. */
  private readonly raw: Float64Array;
  private readonly sent: Float64Array;
  private readonly pins: Float64Array;
  private readonly files: Float64Array;
  /** Newest turn start before a position, −1 without one. */
  private readonly turnStart: Int32Array;
  /** Newest message before a position that may be kept word for word, −1 without one. */
  private readonly wordsUpTo: Int32Array;

  constructor(readonly preview: CompactPreview) {
    const { items, nothing } = preview;
    const length = items.length + 1;
    this.raw = new Float64Array(length);
    this.sent = new Float64Array(length);
    this.pins = new Float64Array(length);
    this.files = new Float64Array(length);
    this.turnStart = new Int32Array(length).fill(-1);
    this.wordsUpTo = new Int32Array(length).fill(-1);
    const cuts: number[] = [];
    items.forEach((item, at) => {
      this.raw[at + 1] = this.sumAt(this.raw, at) + item.raw;
      this.sent[at + 1] = this.sumAt(this.sent, at) + item.sent;
      this.pins[at + 1] = this.sumAt(this.pins, at) + (item.pin ?? 0);
      this.files[at + 1] = this.sumAt(this.files, at) + (item.files ?? 0);
      this.turnStart[at + 1] = item.isTurnStart ? at : (this.turnStart[at] ?? -1);
      this.wordsUpTo[at + 1] = item.words === undefined ? (this.wordsUpTo[at] ?? -1) : at;
      if (item.isLegalCut && at > 0) cuts.push(at);
    });
    // Where system prompt and tools alone are too much, no cut helps (PL14).
    this.cuts = nothing?.reason === 'fixed-overhead' ? [] : cuts;
  }

  /** Where the line stands at first: what `/compact` would do, else the newest turn, else the newest cut; null: nowhere. */
  get first(): number | null {
    const { items, suggested } = this.preview;
    const at = suggested === null ? undefined : this.cuts.find((cut) => items[cut]?.id === suggested);
    return at ?? this.cuts.filter((cut) => items[cut]?.isTurnStart).at(-1) ?? this.cuts.at(-1) ?? null;
  }

  /** The position of an entry if the window may be cut before it, else null. */
  cutBefore(entryId: string): number | null {
    return this.cuts.find((cut) => this.preview.items[cut]?.id === entryId) ?? null;
  }

  /** The numbers of a cut. O(1), O(user messages kept word for word). */
  at(cut: number): CutFigures {
    const { preview } = this;
    const total = this.sumAt(this.raw, preview.items.length);
    const region = this.sumAt(this.raw, cut);
    const pinned = this.sumAt(this.pins, cut) + this.wordForWord(cut).tokens;
    const pins = preview.shownPins + (pinned > 0 ? preview.pinBlock + pinned : 0);
    const files = preview.previousFiles;
    return {
      ...estimateOf({ region, kept: total - region, pins }, preview),
      messages: cut,
      keptMessages: preview.items.length - cut,
      files: files === null ? null : files + this.sumAt(this.files, cut),
      isSplit: this.turnOf(cut) >= 0,
    };
  }

  /** What stays word for word although a cut hides it (PN2, PN4). O(messages kept so), O(the person's messages) at most. */
  wordForWord(cut: number): WordForWord {
    const { items, keepUserTokens, earlierWords } = this.preview;
    const places = new Set<number>();
    let tokens = 0;
    let earlier = 0;
    let left = keepUserTokens;
    const takes = ({ raw, words = 0 }: Pick<PreviewItem, 'raw' | 'words'>): boolean => {
      if (raw > left) return false;
      left -= raw;
      tokens += words;
      return true;
    };
    for (let at = this.wordsUpTo[cut] ?? -1; at >= 0 && left > 0; at = this.wordsUpTo[at] ?? -1)
      if (takes(items[at] as PreviewItem)) places.add(at);
    for (const message of earlierWords) if (left > 0 && takes(message)) earlier++;
    return { places, earlier, tokens };
  }

  /** What the summary of a cut will ask of a model: as many requests as its text takes (SU26). O(1). */
  work(cut: number, { ratio, window }: SummaryModel): SummaryWork {
    const { previousSummary, promptTokens, limits } = this.preview;
    const { summary, isSplit } = this.at(cut);
    const reserve = limits.reserve ?? DEFAULT_RESERVE_TOKENS;
    const budget = Math.max(1, inputBudget(window > 0 ? window : null, Math.floor(0.8 * reserve), reserve) / ratio);
    const historyEnd = isSplit ? this.turnOf(cut) : cut;
    const history = this.sumAt(this.sent, historyEnd);
    const prefix = Math.min(budget, this.sumAt(this.sent, cut) - history);
    const historyCalls = historyEnd > 0 ? Math.max(1, Math.ceil(history / budget)) : 0;
    const calls = historyCalls + (isSplit ? 1 : 0);
    // Each further part of a long history updates the summary of the one before.
    const carried = historyCalls > 0 ? previousSummary + (historyCalls - 1) * summary : 0;
    const input = history + prefix + carried + calls * promptTokens;
    const output = Math.max(1, historyCalls) * summary;
    return { requests: calls + this.preview.extraRequests, input: ratio * input, output: ratio * output };
  }

  /** What the summary of a cut will cost, US dollars; null if the model's price is not known. O(1). */
  cost(cut: number, model: SummaryModel): number | null {
    if (!model.price) return null;
    const { input, output } = this.work(cut, model);
    return (input * model.price.input + output * model.price.output) / 1e6;
  }

  /** It takes so many requests that the person is told before (SH2). */
  isLong(cut: number, model: SummaryModel): boolean {
    return this.work(cut, model).requests > MANY_REQUESTS;
  }

  /** About how long it takes, milliseconds: at the pace of the compaction before, if it is known. O(1). */
  duration(cut: number, model: SummaryModel): number {
    const { requests, input, output } = this.work(cut, model);
    const { requestMs } = this.preview;
    return requestMs === null ? (input / READS_PER_S + output / WRITES_PER_S) * 1000 : requests * requestMs;
  }

  /**
   * Turns after which the shorter context has saved what the summary cost and what the emptied prompt cache costs; null where
   * a price is missing or nothing is saved. O(1).
   */
  paysBackIn(cut: number, model: SummaryModel): number | null {
    const cost = this.cost(cut, model);
    const { traffic } = this.preview;
    const { gain, projected } = this.at(cut);
    if (cost === null || !traffic || gain <= 0) return null;
    const saved = gain * traffic.tokenPrice * traffic.requestsPerTurn;
    if (saved <= 0) return null;
    const refill = projected * Math.max(0, traffic.freshPrice - traffic.tokenPrice);
    return Math.max(1, Math.ceil((cost + refill) / saved));
  }

  /**
   * The cut nearest by tokens to a place between the items: `3.5` is the middle of the fourth. Of two that are as near the one
   * nearer by items. Null if there is none. O(log items).
   */
  nearest(place: number): number | null {
    const { cuts } = this;
    const tokens = this.tokensAt(place);
    const after = lowerBound(cuts, place);
    let best: number | null = null;
    for (const side of [-1, 1]) {
      // Items without tokens make several cuts as near by tokens: the first on each side is the nearest of them.
      const cut = cuts[side < 0 ? after - 1 : after];
      if (cut === undefined) continue;
      if (best === null || this.isNearer(cut, best, place, tokens)) best = cut;
    }
    return best;
  }

  /** The cut that is `by` places further; stays within the first and the last. */
  step(cut: number, by: number): number {
    const at = lowerBound(this.cuts, cut) + by;
    return this.cuts[Math.max(0, Math.min(this.cuts.length - 1, at))] ?? cut;
  }

  private isNearer(cut: number, than: number, place: number, tokens: number): boolean {
    const a = Math.abs(this.sumAt(this.raw, cut) - tokens);
    const b = Math.abs(this.sumAt(this.raw, than) - tokens);
    return a < b || (a === b && Math.abs(cut - place) < Math.abs(than - place));
  }

  private tokensAt(place: number): number {
    const last = this.preview.items.length;
    const at = Math.max(0, Math.min(last, place));
    const below = Math.floor(at);
    const from = this.sumAt(this.raw, below);
    return from + (at - below) * (this.sumAt(this.raw, Math.min(last, below + 1)) - from);
  }

  /** Start of the turn that a cut divides, −1 if it divides none. */
  private turnOf(cut: number): number {
    return this.preview.items[cut]?.isTurnStart ? -1 : (this.turnStart[cut] ?? -1);
  }

  private sumAt(sums: Float64Array, at: number): number {
    return sums[at] ?? 0;
  }
}

/** Whether the person is told something before `/compact` begins (SH2): nothing is due, or it takes many requests. O(items). */
export function wantsWords(preview: CompactPreview): boolean {
  const [model] = preview.models;
  if (preview.items.length === 0) return false;
  if (preview.nothing !== null) return true;
  const figures = new PreviewFigures(preview);
  return model !== undefined && figures.first !== null && figures.isLong(figures.first, model);
}

/** Index of the first value that is not below `wanted`. */
function lowerBound(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
