import { describe, expect, it } from 'vitest';
import { contextAt, contextBodyIds } from '../../../support/context-at';
import { ContextCursor } from '@shared/session/context/context-cursor';
import { decodeFacts, encodeFacts } from '@shared/session/records/facts-codec';
import { readSession } from '../../../support/read-session';
import { toProviderMessages } from '../../../support/oracle/sanitize';
import { sentOf } from '../../../support/sent-of';
import { serializeEntry } from '@shared/session/records/serialize-entry';
import { estimateRaw } from '@shared/session/records/estimate';
import { ratioFor } from '@shared/session/context/figure';
import { SessionTree } from '@shared/session/tree/tree';
import { countFigures } from '../../../support/golden-figures';
import { goldenSessions } from '../../../support/golden-sessions';
import { seededHex, FRAMES } from './support';

describe.each(goldenSessions())('GV4: $name', ({ lines, isOld, figures }) => {
  const { tree, damage, migrated, header } = readSession(lines, { randomHex: seededHex(1) });
  const nodes = tree.entriesInOrder();
  const context = contextAt(tree, tree.leafId);

  it('GV4: the figures are those of the lines', () => {
    expect(countFigures(lines)).toEqual(figures);
  });

  it('GV4: entries by type and role', () => {
    const kinds: Record<string, number> = {};
    for (const { facts } of nodes) {
      const kind = facts.role ?? facts.type;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    expect(kinds).toEqual(figures.kinds);
    expect(tree.size).toBe(figures.entries);
    expect(damage).toEqual([]);
    expect(migrated).toBe(isOld);
    expect(header).toMatchObject({ version: 3, ...(isOld ? { provider: 'anthropic', thinkingLevel: 'off' } : {}) });
  });

  it('GV4: replies by stop reason, calls, unanswered calls, no orphan results', () => {
    const reasons: Record<string, number> = {};
    const calls: string[] = [];
    const answers: string[] = [];
    for (const { facts } of nodes) {
      if (facts.reply) reasons[facts.reply.stopReason] = (reasons[facts.reply.stopReason] ?? 0) + 1;
      calls.push(...(facts.calls ?? []));
      if (facts.answers !== undefined) answers.push(facts.answers);
    }
    expect(reasons).toEqual(figures.stopReasons);
    expect(calls).toHaveLength(figures.calls);
    expect(calls.filter((id) => !answers.includes(id))).toHaveLength(figures.unanswered);
    expect(answers.filter((id) => !calls.includes(id))).toEqual([]);
  });

  it('CX1: the context has every message, its model and thinking level', () => {
    expect(context.messages).toHaveLength(figures.messages);
    expect(context.projection).toHaveLength(figures.messages);
    expect(context.model).toEqual({ provider: 'anthropic', modelId: 'claude-sonnet-4-5' });
    expect(context.thinkingLevel).toBe(figures.thinkingLevel);
  });

  it('TK3, TK4, TK5: raw sum, estimate, ratio', () => {
    expect(context.messages.reduce((sum, message) => sum + estimateRaw(message), 0)).toBe(figures.raw);
    expect(nodes.reduce((sum, node) => sum + node.facts.raw, 0)).toBe(figures.raw);
    const { usageTokens, trailingRaw, donorId } = new ContextCursor(tree, FRAMES).figure();
    expect({ usageTokens, trailingRaw }).toEqual({ usageTokens: figures.reported, trailingRaw: 0 });
    expect(donorId).toBe(context.projection.at(-1)?.sourceId);
    const last = nodes.findLast((node) => node.facts.reply)?.facts.reply;
    expect(last).toMatchObject({ promptTokens: figures.prompt, output: figures.reported - figures.prompt });
    const ratio = ratioFor(tree, tree.leafId, context.model);
    expect(ratio).toBeCloseTo(figures.prompt / figures.raw, 10);
  });

  it('TK7: the session figure is what the provider reported, exactly', () => {
    const figure = new ContextCursor(tree, FRAMES).figure();
    expect(figure).toMatchObject({
      tokens: figures.reported,
      exact: true,
      isFloor: false,
      trailingRaw: 0,
      raw: figures.raw,
    });
  });

  it('CX8, CX9: what is sent pairs every call with one result and does not end in a reply of a failed request', () => {
    const sent = sentOf(context.messages, { compactionFrame: '{{summary}}', branchFrame: '{{summary}}' });
    const calls = sent.flatMap((message) =>
      message.role === 'assistant' ? message.content.filter((block) => block.type === 'toolCall') : [],
    );
    expect(sent.filter((message) => message.role === 'toolResult')).toHaveLength(calls.length);
    expect(sent.some((message) => message.role === 'assistant' && message.stopReason === 'aborted')).toBe(false);
  });

  it('SF15: migrated and written again it gives the golden context (IN8)', () => {
    const written = [JSON.stringify(header), ...nodes.map((node) => serializeEntry(node.body!))];
    const again = readSession(written, { randomHex: seededHex(2) });
    expect(again.migrated).toBe(false);
    expect(JSON.stringify(contextAt(again.tree, again.tree.leafId).messages)).toBe(JSON.stringify(context.messages));
  });

  it('CX7: a tree from encoded facts alone plans the same context and asks for the bodies', () => {
    const bare = new SessionTree(header);
    for (const node of nodes) {
      const facts = decodeFacts(JSON.parse(JSON.stringify(encodeFacts(node.facts))));
      const isMessage = node.facts.type === 'message';
      bare.add(facts!, node.seq, isMessage ? undefined : node.body);
    }
    bare.settleLeafAfterLoad();
    const figure = new ContextCursor(bare, FRAMES).figure();
    expect(figure).toMatchObject({ tokens: figures.reported, exact: true, raw: figures.raw });
    const ids = contextBodyIds(bare, bare.leafId);
    expect(ids).toHaveLength(figures.messages);
    for (const id of ids) bare.setBody(tree.body(id)!);
    expect(JSON.stringify(contextAt(bare).messages)).toBe(JSON.stringify(context.messages));
    const sent = toProviderMessages(context.messages, FRAMES);
    expect(JSON.stringify(new ContextCursor(bare, FRAMES).messages())).toBe(JSON.stringify(sent));
  });
});
