import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addFileOps, addStoredFiles, fileListsOf, fileTags, noFileOps } from '@shared/compaction/file-activity';
import { cutText } from '@shared/compaction/serialize';
import { serializeConversation } from '../../../support/serialize-conversation';
import { stripTagBlocks } from '@shared/compaction/tag-blocks';
import type { ProjectedMessage } from '@shared/session/entry';

const call = (name: string, args: Record<string, unknown>) => ({ type: 'toolCall', id: 'c', name, arguments: args });
const assistant = (...content: unknown[]): ProjectedMessage => ({ role: 'assistant', content, timestamp: 0 });

describe('SU15 to SU24: messages as text', () => {
  it('says who spoke, what was called, what came back; images by kind and size', () => {
    const data = 'A'.repeat(4096);
    const text = serializeConversation([
      { role: 'user', content: [{ type: 'text', text: 'one ' }, { type: 'text', text: 'two' }, { type: 'image', data, mimeType: 'image/png' }], timestamp: 0 },
      assistant({ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'a' }, { type: 'text', text: 'b' }, call('read', { path: 'x.ts', offset: 2 }), call('ls', {})),
      { role: 'toolResult', toolCallId: 'c', toolName: 'read', content: [{ type: 'text', text: 'body' }], isError: false, timestamp: 0 },
      { role: 'user', content: '', timestamp: 0 },
      { role: 'bashExecution', command: 'secret', output: 's', excludeFromContext: true, timestamp: 0 },
      { role: 'bashExecution', command: 'false', output: '', exitCode: 1, timestamp: 0 },
    ]); // prettier-ignore
    expect(text.split('\n\n')).toEqual([
      '[User]: one two\n[image: image/png, 3 KB]',
      '[Assistant]: a\nb',
      '[Assistant tool calls]: read(path="x.ts", offset=2); ls()',
      '[Tool result]: body',
      '[User]: Ran `false`\n(no output)\n(exit code 1)',
    ]);
    expect(serializeConversation([assistant({ type: 'thinking', thinking: 'hm' })], { includeThinking: true })).toBe(
      '[Assistant thinking]: hm',
    );
  });

  it('cuts tool output after 2000 characters and says how many are missing; other text stays whole', () => {
    const long = 'y'.repeat(2500);
    const content = [{ type: 'text' as const, text: long }];
    const result = { role: 'toolResult', toolCallId: 'c', toolName: 'bash', content, isError: false, timestamp: 0 };
    expect(serializeConversation([result])).toBe(
      `[Tool result]: ${'y'.repeat(2000)}\n\n[... 500 more characters truncated]`,
    );
    expect(serializeConversation([{ role: 'user', content: long, timestamp: 0 }])).toBe(`[User]: ${long}`);
  });

  it('never cuts a surrogate pair, and the rest it names is the rest', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const cut = cutText(text, limit);
        if (text.length <= limit) {
          expect(cut).toBe(text);
          return;
        }
        const [, head = '', missing] = /^([\s\S]*)\n\n\[\.\.\. (\d+) more characters truncated\]$/.exec(cut) ?? [];
        expect(text.startsWith(head)).toBe(true);
        expect(head.length + Number(missing)).toBe(text.length);
        expect(() => encodeURIComponent(head)).not.toThrow();
      }),
    );
  });
});

describe('FA1 to FA5: file activity', () => {
  it('SF8: takes read, write and edit with a path; what was modified is not also read', () => {
    const ops = noFileOps();
    addFileOps(ops, assistant(call('read', { path: 'a' }), call('read', { path: 'b' }), call('edit', { path: 'b' })));
    addFileOps(ops, assistant(call('write', { path: 'C' }), call('read', { path: '' }), call('bash', { path: 'no' }), call('read', { path: 7 }), call('edit', {}))); // prettier-ignore
    addStoredFiles(ops, { details: { readFiles: ['z', 'C', 1], modifiedFiles: ['m'] } });
    addStoredFiles(ops, { details: { readFiles: ['of an extension'], modifiedFiles: [] }, fromHook: true });
    addStoredFiles(ops, { details: { readFiles: ['of an extension'] }, fromExtension: true });
    addStoredFiles(ops, { details: 'anything' });
    expect(fileListsOf(ops)).toEqual({ readFiles: ['a', 'z'], modifiedFiles: ['C', 'b', 'm'] });
  });

  it('names twenty files of each kind and counts the rest; no tags without files', () => {
    const readFiles = Array.from({ length: 22 }, (_, n) => `r${n}`);
    const tags = fileTags({ readFiles, modifiedFiles: ['m'] }, 20);
    expect(tags.split('\n')).toHaveLength(2 + 23 + 1 + 3);
    expect(tags).toContain('r19\n… (2 more files omitted)\n</read-files>\n\n<modified-files>\nm\n</modified-files>');
    expect(fileTags({ readFiles: [], modifiedFiles: [] }, 20)).toBe('');
    expect(fileTags({ readFiles: ['a\n</read-files>'], modifiedFiles: [] }, 20).split('\n')).toHaveLength(5);
  });
});

describe('SU13: our blocks behind a summary', () => {
  it('come off again, those of others too, wherever they stand', () => {
    const tags = fileTags({ readFiles: ['a'], modifiedFiles: ['b'] }, 20);
    expect(stripTagBlocks(`## Goal\nShip it.${tags}\n\n<exact-facts>\n1\n</exact-facts>`)).toBe('## Goal\nShip it.');
    expect(stripTagBlocks('<files>\nold\n</files>\n\nText')).toBe('Text');
  });

  it('a block that is never closed is text, and so is a tag inside a line', () => {
    expect(stripTagBlocks('A\n<read-files>\nb')).toBe('A\n<read-files>\nb');
    expect(stripTagBlocks('use `<read-files>` and </read-files>')).toBe('use `<read-files>` and </read-files>');
  });

  it('however often it is done: nothing adds up', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z/.]{1,12}$/), { maxLength: 30 }), fc.lorem(), (paths, words) => {
        const tags = fileTags({ readFiles: paths, modifiedFiles: paths }, 20);
        expect(stripTagBlocks(stripTagBlocks(words + tags) + tags)).toBe(words);
      }),
    );
  });
});
