import { setImmediate } from 'node:timers/promises';
import {
  type PinAt,
  pinLimit,
  type PinLimit,
  type PinList,
  pinListAt,
  pinsAt,
  tokensOfPins,
} from '@shared/compaction/pin-list';
import { pinDraft } from '@shared/session/tree/drafts';
import { EntryNotFoundError } from '@shared/session/records/entry';
import type { SessionTree } from '@shared/session/tree/tree';
import type { TreeNode } from '@shared/session/records/tree-node';
import { newestLeafInSteps } from '@shared/session/tree/destination';
import type { SessionScope } from './machine/scope';
import { SessionRefusal } from './machine/slot';

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
    if (pinned) await this.refuseMore(tree, changed);
    await log.append(changed.map((id) => pinDraft(tree, id, pinned)));
  }

  /** Refuses what the model is not sent, and what takes more than the limit. Other work goes on between the branches that it looks at. */
  private async refuseMore(tree: SessionTree, ids: readonly string[]): Promise<void> {
    const { limit, percent } = this.limit;
    const wanted = new Set(ids);
    const here = shownAt(tree, tree.leafId, ids);
    const elsewhere = ids.filter((id) => !here.ids.has(id));
    const leaves = await newestLeaves(tree, elsewhere);
    const known = new Map<string, Shown>();
    for (const id of ids) {
      let shown = here;
      if (!here.ids.has(id)) {
        const leafId = leaves.get(id) as string;
        shown = known.get(leafId) ?? (await soon(() => shownAt(tree, leafId, ids)));
        known.set(leafId, shown);
      }
      if (!shown.ids.has(id)) throw new SessionRefusal(NOT_SENT);
      if (limit === null || shown.isChecked) continue;
      shown.isChecked = true;
      const after = tokensOfPins(shown.pins, this.ratio);
      if (after <= limit) continue;
      const before = tokensOfPins(shown.pins.filter(({ node }) => !wanted.has(node.id)), this.ratio); // prettier-ignore
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

/** The pins among which the model would be sent entries at a leaf, those that are to be pinned among them. */
interface Shown {
  pins: readonly PinAt[];
  ids: ReadonlySet<string>;
  /** They are within the limit. */
  isChecked: boolean;
}

/** O(path). */
function shownAt(tree: SessionTree, leafId: string | null, more: readonly string[]): Shown {
  const pins = pinsAt(tree, leafId, more);
  return { pins, ids: new Set(pins.map(({ node }) => node.id)), isChecked: false };
}

/** Entries of a path that are looked at in one go: some milliseconds. */
const STEP = 20_000;

/** Lets other work go first. */
async function soon<T>(work: () => T): Promise<T> {
  await setImmediate();
  return work();
}

/** Where a branch was left; other work goes on meanwhile. */
async function newestLeaf(tree: SessionTree, top: TreeNode): Promise<TreeNode> {
  const steps = newestLeafInSteps(tree, top);
  for (;;) {
    const { done, value } = await soon(() => steps.next());
    if (done) return value;
  }
}

/**
 * Where the branches of entries were left: by id, as `newestLeafBelow`. What is below one of them is looked at once for all on the way to
 * its newest leaf, for it is theirs as well.
 */
async function newestLeaves(tree: SessionTree, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const leaves = new Map<string, string>();
  const wanted = new Set(ids);
  const nodes = ids.flatMap((id) => tree.node(id) ?? []).sort((a, b) => a.seq - b.seq);
  for (const top of nodes) {
    if (leaves.has(top.id)) continue;
    const leaf = await newestLeaf(tree, top);
    let seen = 0;
    for (let node: TreeNode | null = leaf; node; node = node === top ? null : node.parent) {
      if (wanted.has(node.id)) leaves.set(node.id, leaf.id);
      seen += 1;
      if (seen % STEP === 0) await setImmediate();
    }
  }
  return leaves;
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
