import { expect, it } from 'vitest';
import { attachFiles } from '../../../src/renderer/features/composer/attach';
import { createDraftStore } from '../../../src/renderer/state/draft-store';
import { createMemoryStore } from '../../support/memory-store';

const held = (id: string) => ({ id, kind: 'text' as const, name: id, mimeType: 'text/plain', data: id });
const files = (count: number): File[] =>
  Array.from({ length: count }, (_, at) => new File([`text ${at}`], `${at}.txt`, { type: 'text/plain' }));

it('CM5: files that are read attach no more than twenty with what was pasted meanwhile, and say how many were left out', async () => {
  const draft = createDraftStore('session', createMemoryStore());
  draft.set({ attachments: Array.from({ length: 18 }, (_, at) => held(`f${at}`)) });
  const reading = attachFiles({ draft }, files(3));
  await Promise.resolve();
  draft.set({ attachments: [...draft.state.getState().attachments, held('pasted')] });
  await reading;
  const { attachments, problem } = draft.state.getState();
  expect(attachments.slice(18).map(({ name }) => name)).toEqual(['pasted', '0.txt']);
  expect(problem).toBe('A message can have at most 20 files. The last 2 were left out.');
  await attachFiles({ draft }, files(1));
  expect(draft.state.getState().attachments).toHaveLength(20);
  expect(draft.state.getState().problem).toBe('A message can have at most 20 files. The last one was left out.');
});
