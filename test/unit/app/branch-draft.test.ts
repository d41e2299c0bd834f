import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BranchTarget, readTarget } from '../../../src/renderer/state/draft-field';
import { createDraftStore, type DraftStore, type Message } from '../../../src/renderer/state/draft-store';
import { type DraftAttachment, readDraft } from '../../../src/renderer/state/local-store';
import { createMemoryStore } from '../../support/memory-store';

/** The draft of a message that begins a branch, with HEAD's kept beside it (BR4). */

const ID = 'session';
const target = (parentId: string | null, more: Partial<BranchTarget> = {}): BranchTarget => ({
  ...{ kind: 'branch', target: parentId, parentId, oldLeaf: 'leaf', summary: null, preset: '', presetFiles: [] },
  ...more,
});
const file = (id: string): DraftAttachment => ({ id, kind: 'text', name: id, mimeType: 'text/plain', data: 'x' });
const nothing = { text: '', attachments: [] };
const state = (draft: DraftStore) => draft.state.getState();
const read = (draft: DraftStore) => expect.poll(() => draft.isLetGo() || draft.flush().then(() => true)).toBe(true);

describe('BR4: the draft of a branch', () => {
  it('given up it leaves the files that were added, whatever became of its words; those it was begun with go with it', () => {
    const draft = createDraftStore(ID, createMemoryStore());
    draft.toBranch(target('b'), nothing);
    draft.set({ attachments: [file('p')] });
    draft.toHead();
    const edit = target('e', { kind: 'edit', preset: 'old', presetFiles: ['o'] });
    draft.toBranch(edit, { text: 'old', attachments: [file('o')] });
    draft.set({ attachments: [file('o'), file('q')] });
    // To another branch, the same holds.
    draft.toBranch(target('c'), nothing);
    expect(state(draft).branch?.head.attachments.map(({ id }) => id)).toEqual(['p', 'q']);
    draft.toBranch(edit, { text: 'old', attachments: [file('o')] });
    draft.toHead();
    expect(state(draft)).toMatchObject({ text: '', aside: [], branch: null });
    expect(state(draft).attachments.map(({ id }) => id)).toEqual(['p', 'q']);
  });

  it('leaves what is put there for HEAD alone: that waits with HEAD’s draft, and what was in it beside the field', () => {
    const draft = createDraftStore(ID, createMemoryStore());
    draft.toBranch(target('b'), nothing);
    draft.put({ text: 'of HEAD', attachments: [file('h')] });
    expect(state(draft)).toMatchObject({ text: '', attachments: [], branch: { head: { text: 'of HEAD' } } });
    draft.put({ text: 'another', attachments: [] });
    draft.put({ text: 'x'.repeat(50_001), attachments: [] });
    expect(state(draft).aside).toEqual(['of HEAD', 'x'.repeat(50_001)]);
    draft.toHead();
    expect(state(draft)).toMatchObject({ text: 'another', branch: null, attachments: [{ id: 'h' }] });
    draft.put({ text: 'last', attachments: [] });
    expect(state(draft)).toMatchObject({ text: 'last', aside: ['of HEAD', 'x'.repeat(50_001), 'another'] });
  });

  it('outlives the window, with where it goes, with HEAD’s draft and with the files of both', async () => {
    const local = createMemoryStore();
    const draft = createDraftStore(ID, local);
    draft.set({ text: 'for HEAD', attachments: [file('h')] });
    draft.toBranch(target('b', { summary: { instructions: 'files' }, kind: 'edit', preset: 'old', presetFiles: ['o'] }), { text: 'old', attachments: [file('o')] }); // prettier-ignore
    draft.set({ text: 'new' });
    await draft.flush();
    const again = createDraftStore(ID, local);
    await expect.poll(() => state(again).text).toBe('new');
    expect(state(again)).toEqual(state(draft));
    again.toHead();
    expect(state(again)).toMatchObject({ text: 'for HEAD', aside: ['new'], branch: null });
    expect(state(again).attachments.map(({ id }) => id)).toEqual(['h', 'o']);
  });

  it('one without words is kept too; given up it leaves nothing', async () => {
    const local = createMemoryStore();
    const draft = createDraftStore(ID, local);
    draft.toBranch(target(null), nothing);
    await draft.flush();
    const again = createDraftStore(ID, local);
    await expect.poll(() => state(again).branch?.parentId).toBeNull();
    again.toHead();
    await again.flush();
    expect(await local.getDraft(ID)).toBeNull();
  });

  it('on its way when the window died: not saved by main, it is back with where it goes, and so is HEAD’s', async () => {
    const local = createMemoryStore();
    const draft = createDraftStore(ID, local);
    draft.set({ text: 'for HEAD' });
    draft.toBranch(target('b'), nothing);
    draft.set({ text: 'other' });
    draft.take('00000000000000aa');
    expect(state(draft)).toMatchObject({ text: 'for HEAD', branch: null });
    await draft.flush();
    for (const saved of [[], ['00000000000000aa']]) {
      const again = createDraftStore(ID, local);
      await expect.poll(() => state(again).text).toBe('for HEAD');
      await again.settle(() => Promise.resolve(new Set(saved)));
      if (saved.length > 0) expect(state(again)).toMatchObject({ text: 'for HEAD', branch: null, aside: [] });
      else expect(state(again)).toMatchObject({ text: 'other', branch: { parentId: 'b', head: { text: 'for HEAD' } } });
    }
  });

  it('typed before the stored draft was read: nothing of either is lost', async () => {
    const local = createMemoryStore();
    const draft = createDraftStore(ID, local);
    draft.set({ text: 'for HEAD' });
    draft.toBranch(target('b'), nothing);
    draft.set({ text: 'other' });
    await draft.flush();
    const again = createDraftStore(ID, local);
    again.set({ text: 'quicker' });
    await read(again);
    expect(state(again)).toMatchObject({ text: 'quicker', branch: null, aside: ['other', 'for HEAD'] });
  });

  it('what the database has may be anything', () => {
    fc.assert(
      fc.property(fc.anything(), (stored) => {
        const found = readTarget(stored);
        if (found) expect(readTarget(JSON.parse(JSON.stringify(found)))).toEqual(found);
        const { branch } = readDraft({ text: 'x', attachments: [], branch: stored });
        expect(branch === null || Array.isArray(branch.head.fileIds)).toBe(true);
      }),
    );
    expect(readTarget({ target: 'a', parentId: 7, oldLeaf: null })).toBeNull();
    expect(readTarget({ target: 'a', parentId: 'a'.repeat(201), oldLeaf: null })).toBeNull();
  });

  it('whatever is done with it, every text that was written is in the field, beside it, kept for HEAD, or sent', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), text: fc.stringMatching(/^[a-z]{1,6}$/) }),
      fc.record({ do: fc.constantFrom('branch' as const, 'edit' as const, 'head' as const, 'send' as const) }),
      fc.record({ do: fc.constantFrom('accept' as const, 'refuse' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const draft = createDraftStore(ID, createMemoryStore());
        const written: string[] = [];
        const sent: { message: Message; isFor: string | null | undefined }[] = [];
        const accepted: string[] = [];
        let n = 0;
        for (const one of steps) {
          const { text, branch } = state(draft);
          if (one.do === 'write') {
            // Behind what is there: who deletes a text has lost it on purpose.
            written.push(`${one.text}${n}`);
            draft.set({ text: `${text} ${one.text}${n++}` });
          } else if (one.do === 'branch') draft.toBranch(target(`p${n++}`), nothing);
          else if (one.do === 'edit') draft.toBranch(target('e', { preset: 'old' }), { ...nothing, text: 'old' });
          else if (one.do === 'head') draft.toHead();
          else if (one.do === 'send') sent.push({ message: draft.take(`${n++}`), isFor: branch?.parentId });
          else {
            const last = sent.pop();
            if (!last) continue;
            // A message goes where it was written for.
            expect(last.message.branch?.parentId).toBe(last.isFor);
            if (one.do === 'accept') accepted.push(last.message.text);
            else draft.giveBack(last.message, 'no');
          }
        }
        const { text, aside, branch } = state(draft);
        const all = [text, ...aside, branch?.head.text ?? '', ...accepted, ...sent.map(({ message }) => message.text)];
        for (const words of written) expect(all.join(' ')).toContain(words);
      }),
    );
  });
});
