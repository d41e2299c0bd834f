import { describe, expect, it } from 'vitest';
import type { PreviewItem } from '@shared/compaction/preview';
import type { LiveJob } from '@shared/compaction/summary-job';
import type { SessionEntry } from '@shared/session/records/entry';
import { reviewDiff } from '../../../src/renderer/features/review/review-dialog';
import { textOfItem } from '../../../src/renderer/parts/row-text';
import { createMemoryStore } from '../../support/memory-store';
import { readRecent, recentInstructions, rememberInstructions, withRecent } from '../../../src/renderer/state/ui-memory'; // prettier-ignore
import { reduce } from '../../../src/shared/session-state/reduce';
import { NO_SESSION } from '../../../src/shared/session-state/state';

const item = (change: Partial<PreviewItem>): PreviewItem =>
  ({ id: 'a', kind: 'user', raw: 1, sent: 1, isLegalCut: true, isTurnStart: true, ...change }); // prettier-ignore
const entryOf = (message: unknown, id = 'a'): SessionEntry =>
  ({ type: 'message', id, parentId: null, timestamp: '', message }) as unknown as SessionEntry; // prettier-ignore
const say = (content: unknown, change: Partial<PreviewItem> = {}): string | null =>
  textOfItem(item(change), () => entryOf({ role: 'user', content }));

describe('rows of the sheet', () => {
  it('SH1: the first line that says something, on one line', () => {
    expect(say('\n\n  Which   queries?\nMore')).toBe('Which queries?');
    expect(
      say([
        { type: 'text', text: ' ' },
        { type: 'text', text: 'Then' },
      ]),
    ).toBe('Then');
    expect(say([{ type: 'image', data: 'AA', mimeType: 'image/png' }])).toBe('an image');
    expect(say([])).toBe('nothing');
    expect(textOfItem(item({}), () => undefined)).toBeNull();
  });

  it('SH1: a reply without words tells its calls, a result what its call did', () => {
    const calls = [
      { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a.ts' } },
      { type: 'toolCall', id: 'c2', name: 'bash', arguments: { command: 'npm test' } },
    ];
    expect(say(calls, { kind: 'assistant' })).toBe('read a.ts, and 1 more');
    const result = item({ id: 'r', kind: 'tool', tool: 'bash', call: { entryId: 'a', id: 'c2' } });
    const entries = new Map([['a', entryOf({ role: 'assistant', content: calls })]]);
    expect(textOfItem(result, (id) => entries.get(id))).toBe('ran npm test');
    entries.set('r', entryOf({ role: 'toolResult', content: [], isError: true }, 'r'));
    expect(textOfItem(result, (id) => entries.get(id))).toBe('run npm test · failed');
    expect(textOfItem(result, () => undefined)).toBeNull();
  });
});

describe('recent instructions', () => {
  it('SH1: newest first, each once, five at most; whatever was stored', async () => {
    expect(withRecent(['b', 'a'], ' a ')).toEqual(['a', 'b']);
    expect(withRecent(['1', '2', '3', '4', '5'], '6')).toEqual(['6', '1', '2', '3', '4']);
    expect(withRecent(['a'], ' ')).toEqual(['a']);
    expect(readRecent(['a', 3, '', null, 'b'])).toEqual(['a', 'b']);
    expect(readRecent({ length: 2 })).toEqual([]);
    const store = createMemoryStore();
    await rememberInstructions(store, 'first');
    await rememberInstructions(store, 'second');
    expect(await recentInstructions(store)).toEqual(['second', 'first']);
    store.getUi = () => Promise.reject(new Error('broken'));
    expect(await recentInstructions(store)).toEqual([]);
  });
});

describe('review', () => {
  it('SH3: lines that came, went and stayed; a gap between distant changes', () => {
    const lines = (text: string): string => text.split('').join('\n');
    expect(reviewDiff('a\nb\nc', 'a\nx\nc\n')).toEqual([
      { kind: 'context', text: 'a' },
      { kind: 'removed', text: 'b' },
      { kind: 'added', text: 'x' },
      { kind: 'context', text: 'c' },
    ]);
    expect(reviewDiff('same', 'same\n')).toEqual([]);
    const far = reviewDiff(lines('a23456789b'), lines('x23456789y'))!;
    expect(far.filter(({ kind }) => kind === 'gap')).toHaveLength(1);
    const all = (mark: string): string => Array.from({ length: 3000 }, (_, n) => `${mark}${n}`).join('\n');
    expect(reviewDiff(all('a'), all('b'))).toBeNull();
  });

  it('SH3: a summary that waits is in the state with its text, and gone with the commit', () => {
    const compaction: LiveJob = {
      kind: 'compaction', reason: 'manual', phase: 'write', part: 'history', step: 1, steps: 1, tokensBefore: 9, projected: 3, messages: 2,
      retry: null, review: null, startedAt: 5,
    }; // prettier-ignore
    const review = { text: 'S', previousSummary: null, context: { rest: 1, ratio: 1, window: null } };
    const base = { kind: 'compaction', part: 'history', step: 1, steps: 1 } as const;
    const written = { ...NO_SESSION, job: compaction, summaryText: 'S' };
    const waiting = reduce(written, { type: 'job_review', kind: 'compaction', review });
    expect(waiting.job).toMatchObject({ phase: 'review', review });
    const committing = reduce(waiting, { type: 'job_progress', ...base, phase: 'commit' });
    expect(committing.job).toMatchObject({ phase: 'commit', review: null });
    expect([waiting.summaryText, committing.summaryText]).toEqual(['S', 'S']);
  });
});
