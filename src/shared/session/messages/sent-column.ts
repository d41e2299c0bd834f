import type { AssistantMessage, LlmMessage } from '../records/entry';
import type { TreeNode } from '../records/tree-node';
import { projectEntry, toLlmMessage } from './projection';
import { callsOf, isEmpty, isFailedStop, type Sanitizer } from './sanitizer';

/** What a message is to the sanitizing pass, so that it need not be looked at again. */
const UNKNOWN = 0;
const NOT_SENT = 1;
const USER = 2;
const REPLY = 3;
const CALLS = 4;
const RESULT = 5;
/** A reply that failed, is empty or has two calls with one id: the pass has to look. */
const IRREGULAR = 6;

/** Entries between a reply and its result above which they count as apart. */
const MAX_ENTRIES_BETWEEN = 64;

/** Never used: what needs words around it is made by who knows them. */
const NO_FRAMES = { compactionFrame: '', branchFrame: '' };

/**
 * What a provider is sent for each entry without view edits, in file order: made once, when a request first needs it, and kept
 * as long as the body is. Dense arrays, so that a context of 50,000 messages is put together without touching one of them.
 */
export class SentColumn {
  private readonly messages: (LlmMessage | null)[] = [];
  private readonly shapes: number[] = [];
  /**
   * Of a result: place of the reply of which it is the first answer to a call, with nothing but such between, else -1. Of a reply:
   * number of its calls.
   */
  private readonly links: number[] = [];

  constructor(private readonly nodes: readonly TreeNode[]) {}

  /** Takes the node that was added last. */
  add(node: TreeNode): void {
    this.messages.push(null);
    this.shapes.push(UNKNOWN);
    const { answers, calls } = node.facts;
    this.links.push(answers === undefined ? (calls?.length ?? 0) : replyOf(node, answers));
  }

  /** What stands above a node was not known when it was added. */
  relink(node: TreeNode): void {
    if (node.facts.answers !== undefined) this.links[node.index] = -1;
  }

  /** Forgets what the body of a node became. */
  forget(node: TreeNode): void {
    this.messages[node.index] = null;
    this.shapes[node.index] = UNKNOWN;
  }

  /** Hands an entry to the sanitizing pass, made into what it is sent as if need be. False if its body is not resident. */
  feed(place: number, pass: Sanitizer): boolean {
    if (this.shapes[place] === UNKNOWN && !this.make(place)) return false;
    const message = this.messages[place] as LlmMessage;
    switch (this.shapes[place]) {
      case USER:
        pass.takeUser(message);
        break;
      case REPLY:
        pass.takeReply(message);
        break;
      case CALLS:
        pass.takeCalls(message, place, this.links[place] as number);
        break;
      case RESULT:
        pass.takeResult(message, this.links[place] as number);
        break;
      case IRREGULAR:
        pass.take(message);
        break;
      default:
        pass.skip();
    }
    return true;
  }

  private make(place: number): boolean {
    const node = this.nodes[place];
    if (!node?.body) return false;
    const message = toLlmMessage(projectEntry(node.body, node.timeMs), NO_FRAMES);
    this.messages[place] = message;
    this.shapes[place] = message ? shapeOf(message) : NOT_SENT;
    return true;
  }
}

/** O(1) in ordinary sessions: results stand near their calls. */
function replyOf(node: TreeNode, callId: string): number {
  let at = node.parent;
  for (let steps = 0; at && steps < MAX_ENTRIES_BETWEEN; steps++, at = at.parent) {
    const { visible, calls, answers } = at.facts;
    if (!visible) continue;
    if (calls) return calls.includes(callId) ? at.index : -1;
    if (answers === undefined || answers === callId) return -1;
  }
  return -1;
}

function shapeOf(message: LlmMessage): number {
  if (message.role === 'toolResult') return RESULT;
  if (message.role === 'user') return isEmpty(message) ? NOT_SENT : USER;
  if (isFailedStop(message.stopReason)) return IRREGULAR;
  const ids = idsOf(message);
  if (ids.length > 0) return new Set(ids).size === ids.length ? CALLS : IRREGULAR;
  return isEmpty(message) ? IRREGULAR : REPLY;
}

function idsOf(message: AssistantMessage): string[] {
  return callsOf(message).map(({ id }) => id);
}
