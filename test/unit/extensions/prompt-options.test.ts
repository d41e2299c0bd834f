import { expect, test } from 'vitest';
import { promptOptions, withPromptOptions } from '../../../src/main/extensions/process/prompt-options';

test('EX22: what a handler puts into the options is behind the prompt; the rest leaves it as it is', () => {
  const options = promptOptions({ cwd: '/w', selectedTools: ['read'] });
  expect(options).toMatchObject({ selectedTools: ['read'], sections: {}, skills: [] });
  expect(withPromptOptions('Be brief.', options)).toBe('Be brief.');
  Object.assign(options, { promptGuidelines: ['Be kind.'], appendSystemPrompt: 'More.' });
  Object.assign(options.sections as object, { guidance: 'Read first.', 'no name>': 'x', number: 7 });
  expect(withPromptOptions('Be brief.', options)).toBe(
    'Be brief.\n\n- Be kind.\n\nMore.\n\n<guidance>\nRead first.\n</guidance>',
  );
  expect(withPromptOptions('Be brief.', { forceSystemPrompt: 'Only this.' })).toBe('Only this.');
  expect(withPromptOptions('Be brief.', 'spoiled')).toBe('Be brief.');
});
