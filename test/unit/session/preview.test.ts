import { expect, it } from 'vitest';
import type { SessionEntry } from '@shared/session/records/entry';
import { previewOf, titleFromWords } from '../../../src/main/session/machine/entry-words';

const said = (content: unknown) => ({ type: 'message', id: 'e', message: { role: 'user', content } }) as unknown as SessionEntry; // prettier-ignore

it('TS14: first words of a message have no Markdown, and are cut behind it', () => {
  expect(previewOf(said('# Plan\n\n- **one**\n- `two`'))).toBe('Plan one two');
  expect(
    previewOf(
      said([
        { type: 'text', text: '> a' },
        { type: 'text', text: '- b' },
      ]),
    ),
  ).toBe('a b');
  expect(previewOf(said(`[${'a'.repeat(139)} b](https://c.d)`))).toBe(`${'a'.repeat(139)} `);
  expect(previewOf(said('---'))).toBeNull();
});

it('TS14: a title is made of the words beside the code, or of the code where there are no others', () => {
  expect(titleFromWords('Fix **this**:\n```ts\nconst a = 1;\n```\nplease')).toBe('Fix this: please');
  expect(titleFromWords('```ts\nconst a = 1;\n```')).toBe('const a = 1;');
  expect(titleFromWords('Move snake_case_names out of *.ts')).toBe('Move snake_case_names out of *.ts');
});
