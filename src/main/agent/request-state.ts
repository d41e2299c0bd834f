import { createHash } from 'node:crypto';
import type { EntryDraft } from '@shared/session/entry';
import { estimateOverhead, type Overhead } from '@shared/session/overhead';
import type { SessionTree } from '@shared/session/tree';
import type { AgentTool, Tool } from '../pi/pi-types';

/** What goes before the messages of a request, as plain data. */
export interface RequestHead {
  systemPrompt: string;
  /** What providers are told of the tools: nothing of their code, and no live schema, which no thread takes. */
  tools: Tool[];
  /** Its raw tokens. */
  overhead: Overhead;
}

export interface RequestParams {
  thinkingLevel: string;
  maxTokens: number;
}

/**
 * What of a request is not a message. It is the same for most requests of a session: written out, sized and hashed it would cost
 * more than the messages of a compacted context, so that is done again only when something of it is another.
 */
export class RequestState {
  private head: RequestHead | null = null;
  private tools: readonly AgentTool[] = [];
  private hashed: { head: RequestHead; params: RequestParams; hash: string } | null = null;

  headOf(systemPrompt: string, tools: readonly AgentTool[]): RequestHead {
    const { head } = this;
    if (head?.systemPrompt === systemPrompt && isSame(this.tools, tools)) return head;
    this.tools = tools.map(({ name, description, parameters }) => ({ name, description, parameters }) as AgentTool);
    const plain = JSON.parse(JSON.stringify(this.tools)) as Tool[];
    return (this.head = { systemPrompt, tools: plain, overhead: estimateOverhead(systemPrompt, plain) });
  }

  /**
   * The record to append if the state differs from the one in force at the leaf, else null: with it "what the model saw here" can
   * be answered (SF11).
   */
  record(tree: SessionTree, head: RequestHead, params: RequestParams): EntryDraft | null {
    const hash = this.hashOf(head, params);
    const inForce = tree.requestInForce(tree.leafId)?.data as { hash?: unknown } | undefined;
    if (inForce?.hash === hash) return null;
    const { systemPrompt, tools } = head;
    return { type: 'custom', customType: 'espalier.request', data: { v: 1, hash, systemPrompt, tools, params } };
  }

  private hashOf(head: RequestHead, params: RequestParams): string {
    const { hashed } = this;
    if (hashed?.head === head && isSameParams(hashed.params, params)) return hashed.hash;
    const { systemPrompt, tools } = head;
    const json = JSON.stringify({ systemPrompt, tools, params });
    const hash = createHash('sha256').update(json).digest('hex').slice(0, 32);
    this.hashed = { head, params, hash };
    return hash;
  }
}

function isSame(known: readonly AgentTool[], tools: readonly AgentTool[]): boolean {
  return (
    known.length === tools.length &&
    tools.every(({ name, description, parameters }, at) => {
      const tool = known[at];
      return tool?.name === name && tool.description === description && tool.parameters === parameters;
    })
  );
}

function isSameParams(a: RequestParams, b: RequestParams): boolean {
  return a.thinkingLevel === b.thinkingLevel && a.maxTokens === b.maxTokens;
}
