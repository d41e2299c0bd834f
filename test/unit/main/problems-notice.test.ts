import { describe, expect, it } from 'vitest';
import { problemsNotice } from '../../../src/main/own-files/own-file';

describe('problemsNotice', () => {
  it('is none where all is well, the sentence itself for one problem, and one notice with a list for several', () => {
    expect(problemsNotice([])).toBeNull();
    expect(problemsNotice(['The settings are bad.'])).toEqual({
      ...{ level: 'warning', code: 'own-files', text: 'The settings are bad.' },
    });
    const many = problemsNotice(['The settings are bad.', 'The keys are bad.']);
    expect(many).toMatchObject({ level: 'warning', items: ['The settings are bad.', 'The keys are bad.'] });
    expect(many?.text).not.toContain('settings');
  });
});
