import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, median, percentile } from '../../bench/harness';
import { generateEntries } from '../../bench/sessions';
import type { CompactionEntry, MessageEntry } from '@shared/session/records/entry';

describe('generated sessions', () => {
  it('are the same for the same options, and differ by seed', () => {
    const text = (seed: number) => JSON.stringify([...generateEntries({ entries: 120, compactEvery: 50, seed })]);
    expect(text(1)).toBe(text(1));
    expect(text(1)).not.toBe(text(2));
  });

  it('are one chain of unique ids of about 2.3 KB an entry', () => {
    const entries = [...generateEntries({ entries: 1_000 })];
    expect(new Set(entries.map((entry) => entry.id)).size).toBe(1_000);
    entries.forEach((entry, index) => expect(entry.parentId).toBe(entries[index - 1]?.id ?? null));
    const bytes = Buffer.byteLength(entries.map((entry) => JSON.stringify(entry)).join('\n')) / entries.length;
    expect(bytes).toBeGreaterThan(2_100);
    expect(bytes).toBeLessThan(2_500);
  });

  it('answer every call with the next entry', () => {
    const entries = [...generateEntries({ entries: 600, compactEvery: 50 })].filter(
      (entry) => entry.type === 'message',
    );
    const messages = entries.map(
      (entry) => (entry as MessageEntry).message as { role: string; toolCallId?: string; content: { id?: string }[] },
    );
    const results = messages.filter((message) => message.role === 'toolResult');
    expect(results.length).toBeGreaterThan(150);
    messages.forEach((message, index) => {
      if (message.role !== 'toolResult') return;
      expect(messages[index - 1]?.content.map((block) => block.id)).toContain(message.toolCallId);
    });
  });

  it('compact as often as asked, each keeping from an earlier prompt', () => {
    const entries = [...generateEntries({ entries: 2_000, compactEvery: 400 })];
    const compactions = entries.filter((entry): entry is CompactionEntry => entry.type === 'compaction');
    expect(compactions).toHaveLength(5);
    expect(entries.at(-1)?.type).toBe('message');
    for (const compaction of compactions) {
      const kept = entries.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
      expect(entries[kept]).toMatchObject({ message: { role: 'user' } });
      expect(entries.indexOf(compaction) - kept).toBeGreaterThanOrEqual(40);
    }
  });
});

describe('measuring', () => {
  it('takes turns, after the warm-ups of each side', async () => {
    const calls: string[] = [];
    const side = (name: string) => ({ prepare: () => name, run: (prepared: string) => void calls.push(prepared) });
    const { ours } = await compare({ ours: side('A'), peer: side('B'), repetitions: 3, warmups: 1 });
    expect(calls.join('')).toBe('ABABABAB');
    expect(ours.times).toHaveLength(3);
  });

  it('times nothing when the results differ', async () => {
    const comparison = compare({ ours: () => 1, peer: () => 2, equal: (ours, peer) => ours === peer });
    await expect(comparison).rejects.toThrow('differ');
  });

  it('median and percentile are values that split the list', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (values, share) => {
          const limit = percentile(values, share);
          expect(values).toContain(limit);
          expect(values.filter((value) => value <= limit).length).toBeGreaterThanOrEqual(share * values.length - 1e-9);
        },
      ),
    );
  });
});
