import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { SETTING_KEYS, SETTINGS } from '@shared/settings';
import { findSettings, PANE_NAMES } from '../../../src/renderer/features/settings/find-settings';

const keysOf = (text: string): string[] => findSettings(text).flatMap(({ keys }) => keys);
const labelsOf = (text: string): string[] => findSettings(text).flatMap(({ more }) => more.map(({ label }) => label));

describe('WN15: settings are found', () => {
  it('by label, help and key, each of them', () => {
    for (const key of SETTING_KEYS) {
      const { label, help } = SETTINGS[key];
      for (const text of [label, help, key].filter((words) => words.trim() !== ''))
        expect([...keysOf(text), ...labelsOf(text)], text).toContain(keysOf(text).includes(key) ? key : label);
    }
  });

  it('in any order of the words, with accents and capitals alike, at the pane that has them', () => {
    expect(keysOf('SENDS énter')).toEqual(['composer.enterSends']);
    expect(findSettings('proxy').map(({ pane }) => pane)).toEqual(['providers']);
    expect(findSettings('appearance').find(({ pane }) => pane === 'appearance')?.keys).toContain('appearance.theme');
  });

  it('with what is no setting of the schema, by its words', () => {
    expect(labelsOf('sizes')).toContain('Sizes of sessions');
    expect(labelsOf('paste')).toEqual(['Paste a key']);
    // A control of its own: one goes to it.
    expect(keysOf('model.default')).toEqual([]);
    expect(labelsOf('model for new sessions')).toContain('Model for new sessions');
  });

  it('nothing by what no setting says, each once, and fewer with each further word', () => {
    expect(findSettings('zzzz')).toEqual([]);
    const words = SETTING_KEYS.flatMap((key) => SETTINGS[key].help.split(' ')).filter(Boolean);
    fc.assert(
      fc.property(fc.constantFrom(...words), fc.constantFrom(...words, 'zzzz', '__proto__', '('), (one, two) => {
        const both = keysOf(`${one} ${two}`);
        expect(new Set(both).size).toBe(both.length);
        expect(keysOf(one)).toEqual(expect.arrayContaining(both));
      }),
    );
  });

  it('in the panes that there are', () => {
    for (const { pane } of findSettings('e')) expect(Object.keys(PANE_NAMES)).toContain(pane);
  });
});
