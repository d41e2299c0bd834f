import type { ContextHead, ContextPart } from '@shared/ipc/tree-types';
import type { ModelRef } from '@shared/types';

import { bodyIdsOf, type ContextPlan, planContext } from '@shared/session/context/context-plan';
import { pathIdAt } from '@shared/session/tree/destination';
import { EntryNotFoundError, type LlmMessage } from '@shared/session/records/entry';
import { estimateRaw } from '@shared/session/records/estimate';
import { blocksOf, isImage, isText, textOf } from '@shared/session/records/message-text';
import { isRecord } from '@shared/checks';
import { dataOf } from '@shared/session/records/tree-node';
import { projectItem } from '@shared/session/messages/projection';
import { toProviderParts } from '@shared/session/messages/sanitizer';
import { ContextMeter } from '@shared/session/context/context-meter';
import { overheadInForce, ratioFor } from '@shared/session/context/figure';
import type { SessionTree } from '@shared/session/tree/tree';
import { SUMMARY_FRAMES } from '../agent/session-context';
import type { SessionLog } from '../ports';
import { SessionRefusal } from './machine/slot';

/** Parts that cross to the window at once. */
const CHUNK_PARTS = 100;

/** A place in the file at which a context is looked at. */
interface Place {
  leafId: string | null;
  /** Records from this file position on are ignored. */
  asOf: number | undefined;
  /** Who was asked, if that is known. */
  model: ModelRef | null;
  /** Where tokens are measured. */
  measuredAt: string | null;
  /** A reply tells what its request took. */
  isReply: boolean;
}

/**
 * What the model saw in the request that an entry answers, or would see after an entry that is not a reply, or sees now (CX3): the
 * exact messages, projected and sanitised, after the system prompt and tools in force. Tokens are those of the meter (TK6), of a request
 * that was made calibrated by its reply; those of the messages and of what precedes them add up to it, but for rounding.
 * @param entryId null: now
 * @param current the session's model now
 * @param window of that model, tokens; 0: unknown
 * @throws EntryNotFoundError, SessionRefusal
 */
export async function* contextChunks(
  log: SessionLog,
  entryId: string | null,
  current: ModelRef,
  window: number,
): AsyncGenerator<{ head?: ContextHead; parts: ContextPart[] }> {
  const { tree } = log;
  const place = placeOf(tree, entryId, current);
  // Planned in one step; what is appended meanwhile does not change the items of a plan.
  const plan = planContext(tree, place.leafId, place.asOf);
  const head = headOf(tree, place, plan);
  const overhead = overheadInForce(tree, place.leafId, place.asOf);
  const before = overhead.system + overhead.tools;
  const model = place.model ?? plan.model;
  const meter = new ContextMeter(tree, plan);
  const raw = before + meter.totals.raw;
  const tokens = place.isReply
    ? Math.round(ratioFor(tree, place.measuredAt, model) * raw)
    : meter.figure(plan, { model, overhead, window }).tokens;
  const sent = await messagesOf(log, plan);
  const sizes = sent.map(({ message }) => estimateRaw(message));
  const ratio =
    tokens /
    Math.max(
      1,
      sizes.reduce((sum, size) => sum + size, before),
    );
  const parts = sent.map(({ sourceId, role, message }, at): ContextPart => ({
    entryId: sourceId,
    role,
    text: shownText(message),
    tokens: Math.round(ratio * (sizes[at] ?? 0)),
  }));
  yield { head: { ...head, messages: parts.length, tokens }, parts: parts.slice(0, CHUNK_PARTS) };
  for (let at = CHUNK_PARTS; at < parts.length; at += CHUNK_PARTS) yield { parts: parts.slice(at, at + CHUNK_PARTS) };
}

function placeOf(tree: SessionTree, entryId: string | null, current: ModelRef): Place {
  if (entryId === null)
    return { leafId: tree.leafId, asOf: undefined, model: current, measuredAt: tree.leafId, isReply: false };
  const node = tree.node(entryId);
  if (!node) throw new EntryNotFoundError(entryId);
  const { reply } = node.facts;
  if (!reply) return { leafId: pathIdAt(node), asOf: node.seq + 1, model: null, measuredAt: entryId, isReply: false };
  const model = { provider: reply.provider, modelId: reply.model };
  return { leafId: pathIdAt(node.parent), asOf: node.seq, model, measuredAt: entryId, isReply: true };
}

function headOf(
  tree: SessionTree,
  { leafId, asOf, model }: Place,
  plan: ContextPlan,
): Omit<ContextHead, 'messages' | 'tokens'> {
  const { systemPrompt, tools, params } = dataOf(tree.requestInForce(leafId, asOf) ?? undefined);
  const thinking = isRecord(params) ? textOf(params.thinkingLevel) : '';
  return {
    systemPrompt: textOf(systemPrompt),
    tools: (Array.isArray(tools) ? tools : [])
      .filter(isRecord)
      .map(({ name, description }) => ({ name: textOf(name), description: textOf(description) })),
    model: model ?? plan.model,
    thinkingLevel: asOf === undefined || thinking === '' ? plan.thinkingLevel : thinking,
  };
}

async function messagesOf(log: SessionLog, plan: ContextPlan): Promise<ReturnType<typeof toProviderParts>> {
  const bodies = new Map((await log.loadBodies([...bodyIdsOf(plan)])).map((entry) => [entry.id, entry]));
  const items = plan.items.map((item) => ({
    sourceId: item.sourceId,
    isPins: item.kind === 'pins',
    message: projectItem(item, ({ id }) => {
      const body = bodies.get(id);
      if (!body) throw new SessionRefusal('Part of the session could not be read from its file.');
      return body;
    }),
  }));
  return toProviderParts(items, SUMMARY_FRAMES);
}

/** What is sent as text; images and calls as one line each. */
function shownText({ content }: LlmMessage): string {
  const lines = blocksOf(content).map((block) => {
    if (isText(block)) return block.text;
    if (isImage(block))
      return `[image: ${block.mimeType}, ${Math.max(1, Math.round((block.data.length * 3) / 4096))} KB]`;
    if (block.type === 'thinking') return textOf(block.thinking);
    return block.type === 'toolCall' ? `[call] ${textOf(block.name)}(${JSON.stringify(block.arguments)})` : '';
  });
  return lines.filter((line) => line !== '').join('\n');
}
