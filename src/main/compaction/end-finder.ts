import { fromFirstUnbegun, type UntoldCalls, untoldCallsIn } from '@shared/compaction/call-results';
import { belowReply } from '@shared/session/messages/below-reply';
import type { PlanItem } from '@shared/session/messages/plan-item';
import type { TreeNode } from '@shared/session/records/tree-node';
import type { SessionLog } from '../ports';

/** What is known of calls whose results are not among the lines of a request, as it crosses to the worker. */
export interface FoundEnds {
  /** Exact lines of results that stand elsewhere in the session: on another branch, or where an edit of the view took them away. */
  results?: string[];
  /** Commands that the person put in place of the calls' own, by call id. */
  ran?: [string, string][];
  /** Ids of calls that can't have begun (AG11). */
  unbegun?: string[];
  /** Ids of calls whose results are told with a later reply. */
  late?: string[];
}

/** What a request needs to tell what became of calls. */
export interface CallSource {
  log: SessionLog;
  /** The call of a reply from which on none is known to have begun (AG11). */
  firstUnbegun(replyId: string): string | null;
}

/** What is known of the calls of some items whose results are not among them (SU19). */
export class EndFinder {
  private readonly untold: ReadonlyMap<number, UntoldCalls>;

  /** O(items + calls). */
  constructor(
    private readonly source: CallSource,
    private readonly items: readonly PlanItem[],
  ) {
    this.untold = untoldCallsIn(items);
  }

  /** By their places, what is known of the items from `at` to before `to`. A result that can't be read counts as not known. */
  async of(at: number, to: number): Promise<ReadonlyMap<number, FoundEnds>> {
    const found = new Map<number, FoundEnds>();
    const results: { at: number; id: string }[] = [];
    for (let place = at; place < to; place++) {
      const untold = this.untold.get(place);
      const node = this.items[place]?.node;
      if (!untold || !node) continue;
      const { ends, answers } = this.knownOf(node, untold);
      found.set(place, ends);
      for (const { id } of answers) results.push({ at: place, id });
    }
    if (results.length === 0) return found;
    const lines = new Map(
      (await this.source.log.linesOf(results.map(({ id }) => id))).map(({ id, line }) => [id, line]),
    );
    for (const { at: place, id } of results) {
      const line = lines.get(id);
      if (line !== undefined) found.get(place)?.results?.push(line);
    }
    return found;
  }

  private knownOf(node: TreeNode, { open, late }: UntoldCalls): { ends: FoundEnds; answers: TreeNode[] } {
    const ends: FoundEnds = late.length > 0 ? { late: [...late] } : {};
    if (open.length === 0) return { ends, answers: [] };
    const below = belowReply(node);
    const unbegun = fromFirstUnbegun(node.facts.calls ?? [], this.source.firstUnbegun(node.id));
    const answers = open.flatMap((id) => below.answers.get(id) ?? []);
    if (answers.length > 0) ends.results = [];
    ends.unbegun = open.filter((id) => unbegun.has(id));
    ends.ran = open.flatMap((id): [string, string][] => {
      const edit = below.edits.get(id);
      return edit ? [[id, edit.ran]] : [];
    });
    return { ends, answers };
  }
}
