import { describe, expect, it } from 'vitest';
import { buildContext, contextBodyIds } from '@shared/session/context';
import { ContextCursor } from '@shared/session/context-cursor';
import { planContext } from '@shared/session/context-plan';
import { decodeFacts, encodeFacts } from '@shared/session/facts-codec';
import { readSession } from '@shared/session/read-session';
import { toProviderMessages } from '@shared/session/sanitize';
import { serializeEntry } from '@shared/session/serialize-entry';
import { estimateContext, ratioFor, sessionFigure, estimateRaw } from '@shared/session/tokens';
import { SessionTree } from '@shared/session/tree';
import { EMPTY_SESSION, realSessionLines, seededHex } from './support';

const lines = realSessionLines();

describe.skipIf(lines === null)('S28: the real session', () => {
  const { tree, damage, migrated, header } = readSession(lines ?? EMPTY_SESSION, { randomHex: seededHex(1) });
  const nodes = tree.entriesInOrder();
  const context = buildContext(tree, tree.leafId);

  it('S28: 974 031 bytes in 1019 lines', () => {
    expect(lines?.at(-1)).toBe('');
    expect(lines).toHaveLength(1019 + 1);
    expect(Buffer.byteLength(lines?.join('\n') ?? '')).toBe(974_031);
  });

  it('S28: 1018 entries of which 914 are messages, 103 thinking changes and a model change', () => {
    const count = (test: (type: string, role?: string) => boolean) =>
      nodes.filter(({ facts }) => test(facts.type, facts.role)).length;
    expect(tree.size).toBe(1018);
    expect(damage).toEqual([]);
    expect(migrated).toBe(true);
    expect(header).toMatchObject({ version: 3, provider: 'anthropic', thinkingLevel: 'off' });
    expect(count((_, role) => role === 'user')).toBe(88);
    expect(count((_, role) => role === 'assistant')).toBe(453);
    expect(count((_, role) => role === 'toolResult')).toBe(373);
    expect(count((type) => type === 'thinking_level_change')).toBe(103);
    expect(count((type) => type === 'model_change')).toBe(1);
  });

  it('S28: replies by stop reason, calls, unanswered calls, no orphan results', () => {
    const reasons: Record<string, number> = {};
    const calls: string[] = [];
    const answers: string[] = [];
    for (const { facts } of nodes) {
      if (facts.reply) reasons[facts.reply.stopReason] = (reasons[facts.reply.stopReason] ?? 0) + 1;
      calls.push(...(facts.calls ?? []));
      if (facts.answers !== undefined) answers.push(facts.answers);
    }
    expect(reasons).toEqual({ toolUse: 366, stop: 65, aborted: 21, error: 1 });
    expect(calls).toHaveLength(391);
    expect(calls.filter((id) => !answers.includes(id))).toHaveLength(18);
    expect(answers.filter((id) => !calls.includes(id))).toEqual([]);
  });

  it('S28: the context has 914 messages, claude-sonnet-4-5, thinking off', () => {
    expect(context.messages).toHaveLength(914);
    expect(context.projection).toHaveLength(914);
    expect(context.model).toEqual({ provider: 'anthropic', modelId: 'claude-sonnet-4-5' });
    expect(context.thinkingLevel).toBe('off');
  });

  it('S28: raw sum, estimate, ratio', () => {
    expect(context.messages.reduce((sum, message) => sum + estimateRaw(message), 0)).toBe(124661);
    expect(nodes.reduce((sum, node) => sum + node.facts.raw, 0)).toBe(124661);
    expect(estimateContext(context.messages)).toEqual({
      tokens: 177657,
      usageTokens: 177657,
      trailingTokens: 0,
      lastUsageIndex: 913,
    });
    const last = nodes.findLast((node) => node.facts.reply)?.facts.reply;
    expect(last).toMatchObject({ input: 0, output: 53, cacheRead: 176585, cacheWrite: 1019, promptTokens: 177604 });
    const ratio = ratioFor(tree, tree.leafId, context.model);
    expect(ratio).toBeCloseTo(1.4247, 5);
    expect(Math.floor(20000 / ratio)).toBe(14038);
  });

  it('S25: the session figure is what the provider reported, exactly', () => {
    const figure = sessionFigure(tree, planContext(tree, tree.leafId));
    expect(figure).toMatchObject({ tokens: 177657, exact: true, isFloor: false, trailingRaw: 0, raw: 124661 });
  });

  it('S21: what is sent pairs every call with one result and does not end in a reply of a failed request', () => {
    const sent = toProviderMessages(context.messages, { compactionFrame: '{{summary}}', branchFrame: '{{summary}}' });
    const calls = sent.flatMap((message) =>
      message.role === 'assistant' ? message.content.filter((block) => block.type === 'toolCall') : [],
    );
    expect(sent.filter((message) => message.role === 'toolResult')).toHaveLength(calls.length);
    expect(sent.some((message) => message.role === 'assistant' && message.stopReason === 'aborted')).toBe(false);
  });

  it('S6: migrated and written again it gives the golden context (invariant 8)', () => {
    const written = [JSON.stringify(header), ...nodes.map((node) => serializeEntry(node.body!))];
    const again = readSession(written, { randomHex: seededHex(2) });
    expect(again.migrated).toBe(false);
    expect(JSON.stringify(buildContext(again.tree, again.tree.leafId).messages)).toBe(JSON.stringify(context.messages));
  });

  it('S24: a tree from encoded facts alone plans the same context and asks for the bodies', () => {
    const bare = new SessionTree(header);
    for (const node of nodes) {
      const facts = decodeFacts(JSON.parse(JSON.stringify(encodeFacts(node.facts))));
      const isMessage = node.facts.type === 'message';
      bare.add(facts!, node.seq, isMessage ? undefined : node.body);
    }
    bare.settleLeafAfterLoad();
    const figure = sessionFigure(bare, planContext(bare, bare.leafId));
    expect(figure).toMatchObject({ tokens: 177657, exact: true, raw: 124661 });
    const ids = contextBodyIds(bare, bare.leafId);
    expect(ids).toHaveLength(914);
    for (const id of ids) bare.setBody(tree.body(id)!);
    expect(JSON.stringify(new ContextCursor(bare).messages())).toBe(JSON.stringify(context.messages));
  });
});
