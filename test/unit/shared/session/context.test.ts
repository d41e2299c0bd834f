import { describe, expect, it } from 'vitest';
import { contextAt, contextBodyIds } from '../../../support/context-at';
import { ContextCursor } from '@shared/session/context/context-cursor';
import { bodyIdsOf, planContext } from '@shared/session/context/context-plan';
import { MissingBodiesError } from '@shared/session/records/entry';
import { applyEdit } from '@shared/session/messages/view-edits';
import { MAYBE_BEGAN, withOutcome, type CallOutcome } from '@shared/policy/call-outcome';
import { tellsEdited, tellsPerhapsEdited, withEdit } from '@shared/edited-command';
import { compaction, custom, reply, result, texts, user, Writer, FRAMES } from './support';

const shown = (writer: Writer, leafId?: string | null): string[] =>
  texts(contextAt(writer.tree, leafId === undefined ? writer.tree.leafId : leafId).messages);
const writerOf = (...names: string[]): Writer => {
  const writer = new Writer();
  for (const name of names) writer.add(user(name), name);
  return writer;
};

describe('what a leaf shows', () => {
  it('CX1: null shows nothing; undefined, empty and unknown stand for the leaf as after load', () => {
    const writer = writerOf('a', 'b');
    writer.moveTo('a');
    expect(contextAt(writer.tree, null)).toMatchObject({ messages: [], thinkingLevel: 'off', model: null });
    for (const id of [undefined, '', 'unknown']) expect(shown(writer, id)).toEqual(['a']);
    expect(shown(writer, 'b')).toEqual(['a', 'b']);
    expect(contextAt(new Writer().tree)).toMatchObject({ messages: [], model: null });
  });

  it('CX1, MO5, SF7: thinking and model are the last on the whole path; failed replies choose no model', () => {
    const writer = new Writer();
    writer.add({ type: 'thinking_level_change', thinkingLevel: 'high' });
    writer.add({ type: 'model_change', provider: 'p', modelId: 'chosen' });
    writer.add(reply('x', { provider: 'q', model: 'failed', stopReason: 'error' }));
    writer.add(compaction('s', null));
    expect(contextAt(writer.tree)).toMatchObject({
      thinkingLevel: 'high',
      model: { provider: 'p', modelId: 'chosen' },
    });
    writer.add(reply('y', { provider: 'q', model: 'replied' }));
    expect(contextAt(writer.tree).model).toEqual({ provider: 'q', modelId: 'replied' });
    writer.add({ type: 'model_change', model: 'omp/with/slash', role: 'default' } as never);
    expect(contextAt(writer.tree).model).toEqual({ provider: 'omp', modelId: 'with/slash' });
    writer.add({ type: 'model_change', model: 'omp/other', role: 'title' } as never);
    expect(contextAt(writer.tree).model?.modelId).toBe('with/slash');
  });

  it('CX1: a compaction shows its summary, what it kept, then what came after', () => {
    const writer = writerOf('a', 'b', 'c');
    writer.add(compaction('S', 'b'));
    writer.add(user('d'));
    expect(shown(writer)).toEqual(['<S>', 'b', 'c', 'd']);
  });

  it.each([
    ['not on the path', 'side', ['<S>', 'd']],
    ['null', null, ['<S>', 'd']],
    ['unknown', 'nope', ['<S>', 'd']],
    ['itself', 'comp', ['<S>', 'd']],
    ['metadata', 'meta', ['<S>', 'c', 'd']],
  ])('CX4: a boundary that is %s', (_case, boundary, expected) => {
    const writer = writerOf('a', 'side');
    writer.moveTo('a');
    writer.add(user('b'), 'b');
    writer.add({ type: 'thinking_level_change', thinkingLevel: 'low' }, 'meta');
    writer.add(user('c'), 'c');
    writer.add(compaction('S', boundary), 'comp');
    writer.add(user('d'));
    expect(shown(writer)).toEqual(expected);
  });

  it('CX4: a kept range that starts before an older compaction shows both sides of it without its summary', () => {
    const writer = writerOf('a', 'b');
    writer.add(compaction('old', 'b'));
    writer.add(user('c'), 'c');
    writer.add(compaction('new', 'b'));
    writer.add(user('d'));
    expect(shown(writer)).toEqual(['<new>', 'b', 'c', 'd']);
  });

  it('CX4: a compaction on another branch changes nothing', () => {
    const writer = writerOf('a', 'b');
    writer.add(compaction('S', 'b'));
    writer.moveTo('b');
    writer.add(user('c'));
    expect(shown(writer)).toEqual(['a', 'b', 'c']);
  });

  it('CX1: a reset hides all before it, compactions too, but not the state', () => {
    const writer = writerOf('a');
    writer.add({ type: 'thinking_level_change', thinkingLevel: 'low' });
    writer.add(compaction('S', 'a'));
    writer.add({ type: 'reset_boundary' });
    writer.add(user('b'));
    writer.add(compaction('T', 'a'));
    expect(shown(writer)).toEqual(['<T>']);
    expect(contextAt(writer.tree).thinkingLevel).toBe('low');
  });

  it('CX1: labels, custom entries and blank branch summaries show nothing, hidden custom messages do', () => {
    const writer = writerOf('a');
    writer.add({ type: 'label', targetId: 'a', label: 'x' });
    writer.add(custom('anything', { x: 1 }));
    writer.add({ type: 'branch_summary', fromId: 'root', summary: ' \n' });
    writer.add({ type: 'branch_summary', fromId: 'root', summary: 'B' });
    writer.add({ type: 'custom_message', customType: 'note', content: 'hidden', display: false });
    expect(shown(writer)).toEqual(['a', '<B>', 'hidden']);
  });

  it('CX1: missing content is empty content', () => {
    const writer = new Writer();
    writer.add({ type: 'message', message: { role: 'user' } } as never);
    writer.add({ type: 'message', message: { role: 'assistant', stopReason: 'stop' } } as never);
    expect(contextAt(writer.tree).messages.map((message) => (message as { content: unknown }).content)).toEqual([
      '',
      [],
    ]);
  });
});

describe('view edits', () => {
  const pruned = (mode: string): Writer => {
    const writer = writerOf('a');
    writer.add(reply('', { calls: ['c'] }));
    const content = [
      { type: 'text' as const, text: 'x'.repeat(4000) },
      { type: 'image' as const, data: 'A', mimeType: 'i' },
    ];
    const message = {
      role: 'toolResult' as const,
      toolCallId: 'c',
      toolName: 'bash',
      content,
      isError: false,
      timestamp: 0,
    };
    writer.add({ type: 'message', message }, 'res');
    writer.add(custom('espalier.prune', { v: 1, action: 'prune', items: [{ targetId: 'res', mode, tokens: 1000 }] }));
    return writer;
  };
  const blocks = (writer: Writer): string[] =>
    (contextAt(writer.tree).messages.at(-1) as { content: { type: string; text?: string }[] }).content.map((block) =>
      block.type === 'text' ? String(block.text) : block.type,
    );

  it('PR5: what an elided result keeps is that another command ran, or may have, than the one asked for', () => {
    const elided = (content: unknown, ran: string, outcome: CallOutcome = 'ran', words?: string): string[] => {
      const details = withOutcome(withEdit({ asked: 'rm -rf all', ran }), outcome);
      const replacement = words === undefined ? {} : { replacement: { content: words } };
      const edit = { omitted: false, prune: { mode: 'elide' as const, tokens: 12_000 }, ...replacement };
      const isError = outcome !== 'ran';
      const message = { role: 'toolResult', toolCallId: 'c', toolName: 'bash', content, details, isError };
      return (applyEdit(message as never, edit) as { content: { text: string }[] }).content.map(({ text }) => text);
    };
    const notice = '[Output truncated - 12000 tokens]';
    expect(elided([{ type: 'text', text: 'line\n'.repeat(9_000) }], 'ls')).toEqual([`${tellsEdited('ls')}\n${notice}`]);
    const perhaps = [{ type: 'text', text: `${MAYBE_BEGAN}\n${tellsPerhapsEdited('ls')}` }];
    // Whatever an edit of the view made of its words; nor does a command that printed them count as one that may not have run.
    for (const words of [undefined, 'Cut.'])
      expect(elided(perhaps, 'ls', 'interrupted', words)).toEqual([`${tellsPerhapsEdited('ls')}\n${notice}`]);
    expect(elided(perhaps, 'ls')).toEqual([`${tellsEdited('ls')}\n${notice}`]);
    const [long = ''] = elided([], `echo ${'a'.repeat(90_000)} END`);
    expect(long).toMatch(
      /^\[The person changed the command before it ran\. This ran instead: echo a+\[\.\.\. \d+ characters \.\.\.\]a+ END\]\n/,
    );
    expect(long.length).toBeLessThan(1_100);
  });

  it('PR5, TG16: elide leaves a notice, shorten head and tail, images the text', () => {
    expect(blocks(pruned('elide'))).toEqual(['[Output truncated - 1000 tokens]']);
    const [text, image] = blocks(pruned('shorten'));
    expect([text!.length, image]).toEqual([2000 + 1000 + '\n\n[... 1000 characters truncated]\n\n'.length, 'image']);
    expect(blocks(pruned('images'))).toEqual(['x'.repeat(4000)]);
  });

  it('CX5: restore brings back exactly what was (IN16); the file keeps the original', () => {
    const writer = pruned('elide');
    const before = contextAt(writer.tree, 'res').messages;
    writer.add(
      custom('espalier.prune', { v: 1, action: 'restore', items: [{ targetId: 'res', mode: 'elide', tokens: 1 }] }),
    );
    expect(contextAt(writer.tree).messages).toEqual(before);
  });

  it('CX1: omit and an edit to null take an entry away, an edit replaces its content, on this branch only', () => {
    const writer = writerOf('a', 'b', 'c');
    writer.add(custom('espalier.omit', { v: 1, targets: ['a'], reason: 'x' }));
    writer.add({ type: 'context_edit', targetId: 'b', replacement: null });
    writer.add({ type: 'context_edit', targetId: 'c', replacement: { content: 'edited' } });
    expect(shown(writer)).toEqual(['edited']);
    writer.add({ type: 'context_edit', targetId: 'b', replacement: { content: 'back' } });
    expect(shown(writer)).toEqual(['back', 'edited']);
    expect(shown(writer, 'c')).toEqual(['a', 'b', 'c']);
  });
});

describe('pins', () => {
  const pin = (writer: Writer, targetId: string, pinned = true): string =>
    writer.add(custom('espalier.pin', { v: 1, targetId, pinned }));

  it('PN2: what a compaction hides and is pinned follows the summary word for word, in path order', () => {
    const writer = writerOf('a', 'b', 'c');
    writer.add(result('x', 'result </pinned> text'), 'r');
    writer.add(user('kept'), 'kept');
    pin(writer, 'r');
    pin(writer, 'b');
    pin(writer, 'kept');
    writer.add(compaction('S', 'kept'));
    const [summary, block, kept] = shown(writer);
    expect([summary, kept]).toEqual(['<S>', 'kept']);
    expect(block).toMatch(
      /^<pinned>[\s\S]*\[entry:b\] user:\nb\n\n\[entry:r\] result of bash:\nresult &lt;\/pinned> text\n<\/pinned>$/,
    );
    pin(writer, 'b', false);
    expect(shown(writer)[1]).not.toContain('entry:b');
  });

  it('PN2: a pinned entry is never pruned', () => {
    const writer = writerOf('a');
    pin(writer, 'a');
    writer.add(
      custom('espalier.prune', { v: 1, action: 'prune', items: [{ targetId: 'a', mode: 'elide', tokens: 1 }] }),
    );
    expect(shown(writer)).toEqual(['a']);
  });

  it('PN2: pins in the region of a branch summary follow it, oldest first, also through a summary within it', () => {
    const writer = writerOf('root', 'a', 'x');
    writer.moveTo('a');
    writer.add(user('b'), 'b');
    writer.add({ type: 'branch_summary', fromId: 'x', summary: 'inner' }, 'inner');
    writer.add(user('end'), 'end');
    for (const id of ['x', 'a', 'b']) pin(writer, id);
    writer.moveTo('root');
    writer.add({ type: 'branch_summary', fromId: 'end', summary: 'outer' });
    const items = planContext(writer.tree, writer.tree.leafId).items;
    expect(items.map((item) => item.kind)).toEqual(['message', 'branch', 'pins']);
    expect(items[2]!.pinned!.map((node) => node.id)).toEqual(['a', 'b', 'x']);
  });
});

describe('as of an earlier position', () => {
  it('CX3: later entries, pins and requests are ignored', () => {
    const writer = writerOf('a', 'b');
    writer.add(custom('espalier.request', { v: 1, hash: '1', systemPrompt: 'one' }));
    writer.add(reply('r'), 'r');
    const asOf = writer.tree.node('r')!.seq;
    writer.add(custom('espalier.omit', { v: 1, targets: ['a'], reason: 'x' }));
    writer.add(custom('espalier.request', { v: 1, hash: '2', systemPrompt: 'two' }));
    expect(texts(contextAt(writer.tree, 'b', { asOf }).messages)).toEqual(['a', 'b']);
    expect(texts(contextAt(writer.tree, writer.tree.leafId!, { asOf }).messages)).toEqual(['a', 'b']);
    expect(writer.tree.requestInForce('b', asOf)?.data).toMatchObject({ hash: '1' });
    expect(writer.tree.requestInForce(writer.tree.leafId)?.data).toMatchObject({ hash: '2' });
  });
});

describe('the cursor', () => {
  it('CX6: after an append the messages made before are the same objects in the same list', () => {
    const writer = writerOf('a', 'b');
    const cursor = new ContextCursor(writer.tree, FRAMES);
    const list = cursor.messages();
    const before = [...list];
    writer.add(user('c'));
    expect(cursor.messages()).toBe(list);
    expect(before.every((message, i) => list[i] === message)).toBe(true);
    expect(texts(list)).toEqual(['a', 'b', 'c']);
    writer.moveTo('a');
    expect(texts(cursor.messages())).toEqual(['a']);
  });

  it('CX7: without bodies it names those it needs and goes on when they are there', () => {
    const writer = writerOf('a', 'b', 'c');
    const { tree } = writer;
    writer.add(compaction('S', 'b'));
    tree.dropBodies(() => false);
    const cursor = new ContextCursor(tree, FRAMES);
    expect(() => cursor.messages()).toThrow(MissingBodiesError);
    expect(contextBodyIds(tree)).toEqual(['b', 'c']);
    expect(bodyIdsOf(planContext(tree)).has('a')).toBe(false);
    for (const entry of writer.entries) tree.setBody(entry);
    expect(texts(cursor.messages())).toEqual(['<summary>S</summary>', 'b', 'c']);
  });
});
