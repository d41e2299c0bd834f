import type { ContextPlan, PlanItem } from './context-plan';
import type { LlmMessage, SessionEntry } from './entry';
import { MissingBodiesError } from './errors';
import { projectItem } from './project-item';
import { toLlmMessage } from './project-message';
import type { SummaryFrames } from './project-message';
import { Sanitizer } from './sanitizer';
import type { Spine } from './spine';

type Listed = Pick<ContextPlan, 'items' | 'places'>;

/** What summaries are sent as. They never change, and each context of a compacted session begins with one. */
export class SummaryWords {
  private readonly known = new WeakMap<SessionEntry, LlmMessage>();

  constructor(private readonly frames: SummaryFrames) {}

  /** The message of any item, null if it is not sent. @throws MissingBodiesError */
  of(item: PlanItem): LlmMessage | null {
    const { body } = item.node;
    const isPlain = item.kind === 'summary' && !item.edit;
    const known = isPlain && body ? this.known.get(body) : undefined;
    if (known) return known;
    const message = toLlmMessage(projectItem(item), this.frames);
    if (isPlain && body && message) this.known.set(body, message);
    return message;
  }
}

/**
 * What a provider is sent for a context that grows at its end: in its words, then sanitized (CX8 to CX11). Each item is taken
 * once; what changes earlier items needs a new one.
 */
export class SentContext {
  private readonly pass = new Sanitizer();
  private taken = 0;

  constructor(
    private readonly spine: Spine,
    private readonly words: SummaryWords,
  ) {}

  /**
   * The messages for all items. Grows and changes in place. O(items not taken yet); O(items) after a result that came late.
   * @throws MissingBodiesError, after which it may be called again
   */
  messages(context: Listed): readonly LlmMessage[] {
    const { pass } = this;
    const from = this.taken;
    if (from === context.items.length) return pass.sent;
    this.prepare(context, from);
    pass.resume();
    this.feed(context, from);
    if (pass.isStale) this.feedAgain(context);
    pass.settle();
    return pass.sent;
  }

  private feedAgain(context: Listed): void {
    this.pass.restart();
    this.taken = 0;
    // What was taken long ago may have left memory since.
    this.prepare(context, 0);
    this.feed(context, 0);
  }

  private feed({ items, places }: Listed, from: number): void {
    const { pass, spine } = this;
    for (let at = from; at < items.length; at++) {
      const place = places[at] as number;
      if (place >= 0) {
        spine.sent.feed(place, pass);
        continue;
      }
      const message = this.words.of(items[at] as PlanItem);
      if (message) pass.take(message);
      else pass.skip();
    }
    this.taken = items.length;
  }

  /** All bodies are there before anything is taken, so that a missing one leaves nothing half done. */
  private prepare({ items, places }: Listed, from: number): void {
    const missing: string[] = [];
    for (let at = from; at < items.length; at++) {
      const place = places[at] as number;
      if (place >= 0 && this.spine.sent.prepare(place)) continue;
      const { node, pinned } = items[at] as PlanItem;
      for (const entry of pinned ? [node, ...pinned] : [node]) if (!entry.body) missing.push(entry.id);
    }
    if (missing.length > 0) throw new MissingBodiesError(missing);
  }
}
