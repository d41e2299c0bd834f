import type { ContextPlan } from './context-plan';
import type { PlanItem } from './plan-item';
import type { LlmMessage, SessionEntry } from './entry';
import { MissingBodiesError } from './errors';
import { projectItem } from './project-item';
import { toLlmMessage } from './project-message';
import type { SummaryFrames } from './project-message';
import { Sanitizer } from './sanitizer';
import type { Spine } from './spine';

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
  messages(plan: ContextPlan): readonly LlmMessage[] {
    const { pass } = this;
    if (this.taken === plan.length) return pass.sent;
    pass.resume();
    this.feed(plan);
    if (pass.isStale) {
      this.restart();
      this.feed(plan);
    }
    pass.settle();
    return pass.sent;
  }

  private feed(plan: ContextPlan): void {
    const { pass, spine } = this;
    const missing: string[] = [];
    const { places } = plan;
    for (let at = this.taken; at < places.length; at++) {
      const place = places[at] as number;
      if (place < 0) this.feedMade(plan.item(at), missing);
      else if (!spine.sent.feed(place, pass)) missing.push(plan.item(at).sourceId);
    }
    this.taken = places.length;
    if (missing.length === 0) return;
    this.restart();
    throw new MissingBodiesError(missing);
  }

  private feedMade(item: PlanItem, missing: string[]): void {
    const { node, pinned } = item;
    const absent = (pinned ? [node, ...pinned] : [node]).filter((entry) => !entry.body);
    if (absent.length > 0) {
      for (const { id } of absent) missing.push(id);
      return;
    }
    const message = this.words.of(item);
    if (message) this.pass.take(message);
    else this.pass.skip();
  }

  /** Half of a context is none: it begins again. */
  private restart(): void {
    this.pass.restart();
    this.taken = 0;
  }
}
