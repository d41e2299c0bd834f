import { type Check, fields, finite, listOf, maybe, record, text, truth, wrong } from '../../checks';

/** A `custom` entry of ours. */
interface OwnEntry {
  /** It annotates the session and never moves the leaf (SF10). */
  isSide: boolean;
  /** What `data` must look like to be used. */
  data: Check;
}

const side = (data: Record<string, Check>): OwnEntry => ({ isSide: true, data: fields(data) });
const path = (data: Record<string, Check>): OwnEntry => ({ isSide: false, data: fields(data) });

const pair: Check = (value) =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string' ? null : wrong(value);

/** `customType` of the record of a title that a model was asked for (SF11). */
export const TITLE_TYPE = 'espalier.title';

/** `customType` of the record of what a discarded summary or a handoff’s draft cost (SF11). */
export const COST_TYPE = 'espalier.cost';

/** `customType` of the record of a message with which a branch was begun (SF11). */
export const BRANCH_TYPE = 'espalier.branch';

/** `customType` of the record of the command that the person put in place of a call's (SF11). */
export const EDITED_TYPE = 'espalier.edited';

/** All of them by `customType` (SF11). */
export const OWN_ENTRIES: ReadonlyMap<string, OwnEntry> = new Map(
  Object.entries({
    'espalier.leaf': side({ leafId: maybe(text), fromLeafId: maybe(text), reason: maybe(text) }),
    'espalier.pin': side({ targetId: text, pinned: maybe(truth) }),
    'espalier.archive': side({ targetId: text, archived: maybe(truth) }),
    'espalier.fact': side({ key: text, dismissed: maybe(truth) }),
    'espalier.request': side({
      hash: maybe(text),
      systemPrompt: maybe(text),
      tools: maybe(listOf(fields({ name: maybe(text), description: maybe(text) }))),
      params: maybe(record),
    }),
    'espalier.rebase': side({
      op: maybe(text),
      compactionId: maybe(text),
      replacedBy: maybe(text),
      fromLeafId: maybe(text),
      copies: maybe(listOf(pair)),
    }),
    [BRANCH_TYPE]: side({ targetId: text, versionOf: maybe(text) }),
    [TITLE_TYPE]: side({ targetId: maybe(text), title: maybe(text), model: maybe(text), cost: maybe(finite) }),
    [COST_TYPE]: side({ kind: maybe(text), model: maybe(text), cost: maybe(finite) }),
    'espalier.prune': path({
      action: text,
      items: listOf(fields({ targetId: text, mode: maybe(text), tokens: maybe(finite) })),
    }),
    'espalier.omit': path({ targets: listOf(text), reason: maybe(text) }),
    [EDITED_TYPE]: path({ callId: text, command: text }),
    'espalier.reference': path({ sessionId: text, title: maybe(text) }),
  }),
);
