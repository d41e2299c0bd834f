import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContextCursor } from '@shared/session/context/context-cursor';
import { planContext } from '@shared/session/context/context-plan';
import type { EntryDraft, ProjectedMessage } from '@shared/session/records/entry';
import { estimateOverhead, ratioFor, type SessionFigure } from '@shared/session/context/figure';
import { estimateRaw, textUnits, weigh } from '@shared/session/records/estimate';
import { breakdown } from '@shared/session/context/context-meter';
import { withEdit } from '@shared/edited-command';
import { totalsOf, weighItem } from '@shared/session/messages/plan-item';
import { applyEdit } from '@shared/session/messages/view-edits';
import { anyText } from '../../../support/any-text';
import { compaction, custom, reply, result, usage, user, Writer, FRAMES } from './support';

const raw = (message: object): number => estimateRaw(message as ProjectedMessage);
const image = { type: 'image', data: 'A', mimeType: 'image/png' };
const CLAUDE = { provider: 'anthropic', modelId: 'claude' };

describe('raw estimates', () => {
  it('TK3: the checks', () => {
    expect(raw({ role: 'user', content: '12345' })).toBe(2);
    expect(raw({ role: 'user', content: [{ type: 'text', text: 'abcd' }, image] })).toBe(1201);
    // Sent as "[image missing]".
    expect(raw({ role: 'toolResult', content: [{ ...image, data: `blob:sha256:${'ab'.repeat(32)}` }] })).toBe(4);
    const content = [
      { type: 'text', text: 'text' },
      { type: 'thinking', thinking: 'hmmm' },
      { type: 'toolCall', id: 'x', name: 'read', arguments: { path: 'a.ts' } },
    ];
    expect(raw({ role: 'assistant', content })).toBe(7);
    expect(raw({ role: 'user', content: '四个汉字' })).toBe(4);
  });

  it('TK3: code and output count, summaries by their text, what is not sent is nothing', () => {
    expect(raw({ role: 'bashExecution', command: 'ls -la', output: 'ab' })).toBe(2);
    expect(raw({ role: 'pythonExecution', code: 'abcd', output: 'abcd' })).toBe(2);
    expect(raw({ role: 'compactionSummary', summary: 'abcd' })).toBe(1);
    expect(raw({ role: 'bashExecution', command: 'x', output: 'y', excludeFromContext: true })).toBe(0);
    expect([raw({ role: 'unknown', content: 'long text' }), raw({ role: 'user' })]).toEqual([0, 0]);
  });

  it('TK3: units of any text: 4 a wide code point, 1 a code unit of the rest', () => {
    const ranges: [number, number][] = [
      [0x1100, 0x11ff], [0x2e80, 0x4dbf], [0x4e00, 0x9fff], [0xa960, 0xa97f], [0xac00, 0xd7ff], [0xf900, 0xfaff],
      [0xfe30, 0xfe4f], [0xff00, 0xff60], [0xffe0, 0xffe6], [0x20000, 0x3ffff],
    ]; // prettier-ignore
    const slow = (text: string): number =>
      [...text].reduce((sum, char) => {
        const code = char.codePointAt(0)!;
        return sum + (ranges.some(([from, to]) => code >= from && code <= to) ? 4 : char.length);
      }, 0);
    const edges = ranges.flat().flatMap((code) => [code - 1, code, code + 1].map((c) => String.fromCodePoint(c)));
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...edges), anyText(6)), { maxLength: 6 }), (parts) => {
        expect(textUnits(parts.join(''))).toBe(slow(parts.join('')));
      }),
      { numRuns: 100 },
    );
  });
});

describe('the session figure', () => {
  const figure = (writer: Writer, options = {}): SessionFigure =>
    new ContextCursor(writer.tree, FRAMES).figure(options);
  const asked = (prompt: number, answer = 'abcd'): Writer => {
    const writer = new Writer();
    writer.add(user('x'.repeat(396)));
    writer.add(reply(answer, { usage: usage({ input: prompt, output: 1 }) }));
    return writer;
  };

  it('TK7: exact while the donor is the last message and the same model goes on', () => {
    const writer = asked(150);
    expect(figure(writer)).toMatchObject({ tokens: 151, exact: true, ratio: 1.5, trailingRaw: 0, raw: 100 });
    expect(figure(writer, { model: { provider: 'other', modelId: 'm' } })).toMatchObject({
      tokens: 151,
      exact: false,
      ratio: 1,
    });
    writer.add(user('x'.repeat(40)));
    expect(figure(writer)).toMatchObject({ tokens: 151 + 15, exact: false, trailingRaw: 10 });
  });

  it('TK10, safety A8: usage above the window and above four times the estimate decides nothing', () => {
    const absurd = figure(asked(1_000_000), { window: 8000 });
    expect(absurd).toMatchObject({ tokens: 100, ratio: 1, exact: false, donorId: null, implausible: 1_000_001 });
    // Above one of the two alone it is believed: a window may be set too small, an estimate may be off.
    expect(figure(asked(1_000_000), { window: 2_000_000 })).toMatchObject({ tokens: 1_000_001, implausible: null });
    expect(figure(asked(390), { window: 200 })).toMatchObject({ tokens: 391, implausible: null });
    expect(figure(asked(1_000_000))).toMatchObject({ tokens: 1_000_001, implausible: null });
    const after = asked(1_000_000);
    after.add(user('x'.repeat(40)));
    expect(figure(after, { window: 8000 }).tokens).toBe(110);
    after.add(reply('abcd', { usage: usage({ input: 150, output: 1 }) }));
    expect(figure(after, { window: 8000 })).toMatchObject({ tokens: 151, implausible: null });
  });

  it('safety A8: figures that are none count as none', () => {
    for (const wrong of [-5, 0.4, 1e300, Number.NaN]) {
      const writer = asked(wrong);
      expect(figure(writer, { window: 8000 }).tokens).toBeLessThanOrEqual(100);
      expect(writer.tree.cost).toBe(0);
    }
  });

  it('TK6: a provider that under-reports does not hide growth: at least 0.8 of the raw sum', () => {
    expect(figure(asked(10))).toMatchObject({ tokens: 80, isFloor: true, exact: false });
  });

  it('TK6: without donor ratio × (overhead + raw)', () => {
    const writer = new Writer();
    writer.add(user('x'.repeat(396)));
    writer.add(reply('abcd'));
    expect(figure(writer)).toMatchObject({ tokens: 100, exact: false, donorId: null });
    expect(figure(writer, { overhead: { system: 20, tools: 5 } }).tokens).toBe(125);
  });

  it('TK2: usage from before a compaction or a view edit counts no more, but still tells the ratio', () => {
    const writer = asked(200);
    writer.add(compaction('x'.repeat(40), null));
    expect(figure(writer)).toMatchObject({ tokens: 20, donorId: null, ratio: 2, raw: 10 });
    const edited = asked(200);
    edited.add(custom('espalier.prune', { v: 1, action: 'prune', items: [] }));
    expect(figure(edited)).toMatchObject({ tokens: 200, donorId: null, ratio: 2 });
  });

  it('TK2: a copy is no donor, nor a reply before a pin of something hidden', () => {
    const writer = new Writer();
    writer.add(user('x'.repeat(400)), 'hidden');
    writer.add(custom('espalier.rebase', { v: 1, copies: [['a', 'copy']] }));
    writer.add(compaction('S', null));
    writer.add(reply('abcd', { usage: usage({ input: 500 }) }), 'copy');
    expect(figure(writer).donorId).toBeNull();
    writer.add(reply('abcd', { usage: usage({ input: 500 }) }), 'donor');
    expect(figure(writer).donorId).toBe('donor');
    writer.add(custom('espalier.pin', { v: 1, targetId: 'donor', pinned: true }));
    expect(figure(writer).donorId).toBe('donor');
    writer.add(custom('espalier.pin', { v: 1, targetId: 'hidden', pinned: true }));
    expect(figure(writer).donorId).toBeNull();
  });

  it('TK5: the ratio is of the model’s own last reply, with the request that it saw, between 1 and 4', () => {
    const writer = new Writer();
    writer.add(user('x'.repeat(400)));
    writer.add(custom('espalier.request', { v: 1, hash: '1', systemPrompt: 'y'.repeat(360), tools: [{ a: 'b' }] }));
    writer.add(reply('x'.repeat(36), { usage: usage({ input: 400 }) }));
    const overhead = 90 + Math.ceil('[{"a":"b"}]'.length / 4);
    expect(ratioFor(writer.tree, writer.tree.leafId, CLAUDE)).toBeCloseTo(400 / (100 + 9 + overhead), 10);
    expect(ratioFor(writer.tree, writer.tree.leafId, { provider: 'x', modelId: 'y' })).toBe(1);
    expect([ratioFor(asked(5000).tree, null, CLAUDE), ratioFor(asked(1).tree, asked(1).tree.leafId, null)]).toEqual([
      1, 1,
    ]);
    const high = asked(5000);
    expect(ratioFor(high.tree, high.tree.leafId, CLAUDE)).toBe(4);
  });

  it('TK4: usage of the last valid reply and the raw estimates behind it, else all of them', () => {
    const of = (...drafts: EntryDraft[]): SessionFigure => {
      const writer = new Writer();
      drafts.forEach((draft, at) => writer.add(draft, `e${at}`));
      return figure(writer);
    };
    expect(of(user('12345678'))).toMatchObject({ usageTokens: 0, trailingRaw: 2, donorId: null });
    const valid = reply('abcd', { usage: usage({ input: 10, output: 5, cacheRead: 3, cacheWrite: 2 }) });
    const failed = reply('abcd', { usage: usage({ input: 999 }), stopReason: 'error' });
    expect(of(user('x'), valid, failed, user('12345'))).toMatchObject({
      usageTokens: 20,
      trailingRaw: 3,
      donorId: 'e1',
    });
    const total = reply('abcd', { usage: usage({ input: 10, totalTokens: 77 }) });
    expect(of(total)).toMatchObject({ usageTokens: 77, donorId: 'e0' });
    expect(of(reply('abcd')).donorId).toBeNull();
  });

  it('TK6: the cursor follows without walking: another model, then its first reply', () => {
    const writer = asked(150);
    const cursor = new ContextCursor(writer.tree, FRAMES);
    const other = { provider: 'openai', modelId: 'gpt' };
    expect(cursor.figure({ model: other })).toMatchObject({ ratio: 1, exact: false });
    writer.add(user('q'));
    writer.add(reply('a', { provider: 'openai', model: 'gpt', usage: usage({ input: 300, output: 2 }) }));
    expect(cursor.figure({ model: other })).toMatchObject({ tokens: 302, exact: true });
    expect(cursor.figure({ model: other })).toEqual(figure(writer, { model: other }));
  });
});

describe('breakdown', () => {
  it('TK9: adds up to D for any shares (IN17), and no share is negative', () => {
    const tokens = fc.nat(500_000);
    const shares = fc.record({
      summary: tokens,
      pins: tokens,
      messages: tokens,
      toolOutputs: tokens,
      images: tokens,
      thinking: tokens,
    });
    fc.assert(
      fc.property(shares, tokens, tokens, fc.nat(3_000_000), (part, system, tools, total) => {
        const scaled = breakdown({ ...part, raw: 0 }, { system, tools }, total);
        expect(Object.values(scaled).reduce((sum, share) => sum + share, 0)).toBe(total);
        expect(Object.values(scaled).every((share) => share >= 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(breakdown(totalsOf([]), { system: 0, tools: 0 }, 0)).toMatchObject({ messages: 0 });
  });

  it('TK9: kinds of a real mix', () => {
    const writer = new Writer();
    writer.add(user('x'.repeat(40)));
    writer.add(reply('x'.repeat(40), { thinking: 'y'.repeat(80), calls: ['c'] }));
    writer.add(result('c', 'z'.repeat(400)));
    const { tree } = writer;
    expect(totalsOf(planContext(tree).items)).toMatchObject({
      raw: 145,
      toolOutputs: 100,
      thinking: 20,
      messages: 25,
      images: 0,
    });
    expect(estimateOverhead('12345', [])).toEqual({ system: 2, tools: 0 });
  });

  it('TK9: a pruned result whose text is at hand weighs what it is shown as: a changed command, a wide script', () => {
    const shownAs = (mode: 'elide' | 'shorten', text: string, more: object): void => {
      const writer = new Writer();
      writer.add(user('Go'));
      writer.add(reply('', { calls: ['c'] }));
      const draft = result('c', text);
      const message = { ...('message' in draft ? (draft.message as object) : {}), ...more };
      const targetId = writer.add({ ...draft, message } as never);
      writer.add(custom('espalier.prune', { v: 1, action: 'prune', items: [{ targetId, mode, tokens: 9 }] }));
      const item = planContext(writer.tree).items.at(-1)!;
      const exact = weigh(applyEdit(message as never, { omitted: false, prune: { mode, tokens: 9 } }));
      expect(weighItem(item)).toEqual(exact);
      // Without it, it is only estimated.
      const { children, facts } = item.node;
      expect(weighItem({ ...item, node: { children, facts, body: null } as never }).raw).toBeLessThan(exact.raw);
    };
    shownAs('elide', 'x'.repeat(4000), { details: withEdit({ asked: 'rm', ran: 'ls' }) });
    shownAs('shorten', '字'.repeat(9000), {});
  });

  it('TK9: the ten largest, largest first, ties oldest first', () => {
    const writer = new Writer();
    for (const size of [4, 8, 40, 8, 4, 12, 16, 20, 24, 28, 32, 36]) writer.add(user('x'.repeat(size)));
    const { largest } = new ContextCursor(writer.tree, FRAMES);
    expect(largest.map((item) => item.raw)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 2]);
    expect(largest[8]!.sourceId).toBe(writer.entries[1]!.id);
  });
});
