import { createHash } from 'node:crypto';
import type { EntryDraft } from '@shared/session/entry';
import type { SessionTree } from '@shared/session/tree';
import type { AgentTool, Tool } from '../models/pi-types';

/** What of a request is no message: kept in the session so that "what the model saw here" can be answered (SF11). */
export interface RequestState {
  systemPrompt: string;
  tools: Tool[];
  params: { thinkingLevel: string; maxTokens: number };
}

/** What providers are told of the tools: nothing of their code. */
export function toolSchemas(tools: readonly AgentTool[]): Tool[] {
  return tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
}

/** The record to append if the state differs from the one in force at the leaf, else null. */
export function requestDraft(tree: SessionTree, state: RequestState): EntryDraft | null {
  const json = JSON.stringify(state);
  const hash = createHash('sha256').update(json).digest('hex').slice(0, 32);
  const inForce = tree.requestInForce(tree.leafId)?.data as { hash?: unknown } | undefined;
  if (inForce?.hash === hash) return null;
  // Schemas are live objects with symbols of their library; the record holds what JSON says of them.
  const plain = JSON.parse(json) as RequestState;
  return { type: 'custom', customType: 'espalier.request', data: { v: 1, hash, ...plain } };
}
