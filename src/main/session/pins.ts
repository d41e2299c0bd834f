import { pinLimit, pinListAt, tokensOfPins, type PinLimit, type PinList } from '@shared/compaction/pin-list';
import { pinDraft } from '@shared/session/drafts';
import { EntryNotFoundError } from '@shared/session/errors';
import { pinsAt, type PinAt } from '@shared/session/pins-at';
import type { SessionTree } from '@shared/session/tree';
import { newestLeafBelow } from '@shared/session/versions';
import type { SessionScope } from './scope';
import { SessionRefusal } from './session-refusal';

/** What a person pins in one session (PN1, PN3). Never blocked by what runs (JB5). Methods reject with a message meant for them. */
export class Pins {
  /** Each is weighed with those before it. */
  private before: Promise<unknown> = Promise.resolve();

  constructor(private readonly scope: Pick<SessionScope, 'log' | 'model' | 'models' | 'settings' | 'size'>) {}

  /** What is pinned at the leaf, and what it takes of what it may. O(path). */
  list(): PinList {
    const { tree } = this.scope.log;
    return pinListAt(tree, tree.leafId, this.ratio, this.limit);
  }

  /**
   * Pins messages, or lets go of them: all or none, on every branch (SF11). What is so already is left as it is.
   * @throws EntryNotFoundError, SessionRefusal, StorageError
   */
  set(entryIds: readonly string[], pinned: boolean): Promise<void> {
    const done = this.before.then(() => this.write(entryIds, pinned));
    this.before = done.catch(() => undefined);
    return done;
  }

  private async write(entryIds: readonly string[], pinned: boolean): Promise<void> {
    const { log } = this.scope;
    const { tree } = log;
    for (const id of entryIds) if (!tree.has(id)) throw new EntryNotFoundError(id);
    const changed = [...new Set(entryIds)].filter((id) => tree.pins.has(id) !== pinned);
    if (changed.length === 0) return;
    if (pinned) this.refuseMore(tree, changed);
    await log.append(changed.map((id) => pinDraft(tree, id, pinned)));
  }

  /** Refuses what the model is not sent, and what takes more than the limit. */
  private refuseMore(tree: SessionTree, ids: readonly string[]): void {
    const { limit, percent } = this.limit;
    const here = pinsAt(tree, tree.leafId, ids);
    for (const id of ids) {
      const pins = pinsThatShow(tree, id, ids, here);
      if (!pins) throw new SessionRefusal(NOT_SENT);
      const after = tokensOfPins(pins, this.ratio);
      if (limit === null || after <= limit) continue;
      const before = tokensOfPins(pins.filter(({ node }) => !ids.includes(node.id)), this.ratio); // prettier-ignore
      throw new SessionRefusal(tooMuch({ before, after, limit, percent, count: ids.length }));
    }
  }

  private get limit(): PinLimit {
    const { scope } = this;
    return pinLimit(scope.models.effectiveWindow(scope.model), scope.settings()['pins.maxPercent']);
  }

  /** Tokens that one raw token is for the session's model (TK5). */
  private get ratio(): number {
    return this.scope.size().ratio;
  }
}

const NOT_SENT = 'The model is not sent this message, so it can’t be pinned.';

/** The pins among which the model would be sent an entry: those at the leaf, else where its own branch was left; null: nowhere. O(path). */
function pinsThatShow(tree: SessionTree, id: string, ids: readonly string[], here: PinAt[]): PinAt[] | null {
  const shows = (pins: PinAt[]): boolean => pins.some(({ node }) => node.id === id);
  if (shows(here)) return here;
  const node = tree.node(id);
  const there = node ? pinsAt(tree, newestLeafBelow(tree, node).id, ids) : [];
  return shows(there) ? there : null;
}

interface TooMuch extends PinLimit {
  before: number;
  after: number;
  count: number;
}

function tooMuch({ before, after, limit, percent, count }: TooMuch): string {
  const what = count === 1 ? 'This message takes' : `These ${count} messages take`;
  const already = before === 0 ? '' : ` Pinned messages take ${inTokens(before)} already.`;
  return (
    `${what} ${inTokens(after - before)} tokens, and pins may take ${inTokens(limit ?? 0)}: ${percent}% of this model’s window.` +
    `${already} Unpin another one, or raise the limit in Settings, Context.`
  );
}

function inTokens(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US');
}
