import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOwnKey, MODIFIERS, refuseShortcut } from '../../../src/shared/shortcuts';
import { checkSetting } from '../../../src/shared/policy/check-setting';
import { CHANGEABLE, holdersOf, keysOfAction, withKeys } from '../../../src/renderer/actions/assign-shortcut';
import { actionOfKey, actionOfKeys, keysOf, type Listed, LIST, menuItems } from '../../../src/renderer/actions/menus';
import { refuseKeys, shortcutKind } from '../../../src/renderer/actions/shortcuts';
import { keysOfPress, matchesKeys } from '../../../src/renderer/state/keys';
import type { App } from '../../../src/renderer/state/app-type';
import { defaultSettings } from '../../../src/shared/settings';

const action = (id: string): Listed => LIST.find((one) => one.id === id) as Listed;
const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held },
});
function appWith(chosen: Record<string, string>, platform = 'linux'): App {
  const settings = { ...defaultSettings(), 'shortcuts.keys': chosen };
  return { settings: { getState: () => ({ settings, platform }) } } as unknown as App;
}

describe('WN15: keys that were chosen', () => {
  it('count in place of those that the action came with', () => {
    const app = appWith({ 'session.new': 'Mod+Shift+1', 'view.sidebar': '' });
    expect(actionOfKeys(app, press('1', { ctrlKey: true, shiftKey: true }))).toBe('session.new');
    expect(actionOfKeys(app, press('n', { ctrlKey: true }))).toBeUndefined();
    expect(actionOfKeys(app, press('b', { ctrlKey: true }))).toBeUndefined();
    expect(actionOfKeys(app, press('k', { ctrlKey: true }))).toBe('view.palette');
    expect([keysOf(app, 'session.new'), keysOf(app, 'view.sidebar')]).toEqual(['Ctrl+Shift+1', undefined]);
  });

  it('can be given to an action that had none', () => {
    const app = appWith({ 'theme.dark': 'Alt+D' });
    expect(actionOfKeys(app, press('d', { altKey: true }))).toBe('theme.dark');
  });

  it('go before those that another action came with', () => {
    // Stored by hand, or by a version in which nothing else had them.
    const app = appWith({ 'theme.dark': 'Mod+K' });
    expect(actionOfKeys(app, press('k', { ctrlKey: true }))).toBe('theme.dark');
  });

  it('count in the graph, on messages and in menus too', () => {
    const app = appWith({ 'entry.pin': '9', 'graph.head': '' });
    expect([actionOfKey(app, 'entry', '9'), actionOfKey(app, 'entry', 'k')]).toEqual(['entry.pin', undefined]);
    expect(actionOfKey(app, 'graph', 'h')).toBeUndefined();
    const hints = menuItems(app, 'zoom', {} as never).map((item) => 'hint' in item && item.hint);
    expect(hints).toEqual(['-', '+', '0']);
  });

  it('that an action can’t have are as if they were not there', () => {
    const chosen = { 'session.new': 'Q', 'graph.head': 'Mod+H', 'session.stop': 'Mod+S', constructor: 'Mod+U' };
    for (const id of ['session.new', 'graph.head'])
      expect(keysOfAction(chosen, action(id)), id).toBe(keysOfAction({}, action(id)));
    expect(shortcutKind(action('session.stop'))).toBeNull();
    expect(actionOfKeys(appWith(chosen), press('u', { ctrlKey: true }))).toBeUndefined();
  });
});

describe('WN15: giving keys', () => {
  it('names who has them, everywhere or in the same place', () => {
    const ids = (id: string, keys: string, chosen = {}, mac = false): string[] =>
      holdersOf(chosen, action(id), keys, mac).map((holder) => holder.id);
    expect(ids('session.new', 'Mod+K')).toEqual(['view.palette']);
    expect(ids('session.new', 'Mod+K', { 'view.palette': '' })).toEqual([]);
    expect(ids('session.new', 'Mod+N')).toEqual([]);
    expect(ids('node.compare', 'H')).toEqual(['graph.head']);
    expect(ids('entry.pin', 'H')).toEqual(['graph.head']);
    // Control and Mod are one key elsewhere than on macOS.
    expect(ids('session.new', 'Control+K')).toEqual(['view.palette']);
    expect(ids('session.new', 'Control+K', {}, true)).toEqual([]);
  });

  it('takes them from who had them, and stores nothing of what is as it came', () => {
    const taken = withKeys({}, action('session.new'), 'Mod+K', [action('view.palette')]);
    expect(taken).toEqual({ 'session.new': 'Mod+K', 'view.palette': '' });
    expect(withKeys(taken, action('view.palette'), 'Mod+K', [action('session.new')])).toEqual({ 'session.new': '' });
    expect(withKeys({ 'session.new': '' }, action('session.new'), 'Mod+N', [])).toEqual({});
    expect(withKeys({ 'theme.dark': 'Alt+D' }, action('theme.dark'), '', [])).toEqual({});
  });

  it('refuses keys that have a meaning everywhere, in words', () => {
    const refused: [string, RegExp][] = [
      ['Mod+C', /editing text/],
      ['Control+C', /editing text/],
      ['Mod+Shift+Z', /editing text/],
      ['Mod+-', /zoom/],
      ['F11', /window/],
      ['F6', /next pane/],
      ['Q', /types a character/],
      ['Shift+Q', /types a character/],
      ['Mod+Alt+Q', /types a character on some keyboards/],
      ['ArrowUp', /moves the cursor/],
      ['Mod+ArrowLeft', /moves the cursor/],
      ['Enter', /can’t be a shortcut/],
      ['Mod+Enter', /can’t be a shortcut/],
      ['Alt+Tab', /can’t be a shortcut/],
      ['Super+L', /can’t be a shortcut/],
      ['Shift+Mod+K', /can’t be a shortcut/],
    ];
    for (const [keys, why] of refused) expect(refuseShortcut(keys), keys).toMatch(why);
    for (const keys of ['Mod+K', 'Alt+ArrowLeft', 'Mod+PageUp', 'F3', 'Shift+F3', 'Mod+Shift+!'])
      expect(refuseShortcut(keys), keys).toBeNull();
    expect(refuseKeys(action('graph.head'), 'P')).toBe('opens the preview');
    expect(refuseKeys(action('graph.head'), 'Mod+K')).toMatch(/one letter/);
  });

  it('leaves every action the keys that it comes with', () => {
    for (const each of CHANGEABLE) {
      const keys = keysOfAction({}, each);
      if (keys === undefined) continue;
      expect(refuseKeys(each, keys), each.id).toBeNull();
      expect(holdersOf({}, each, keys, false), each.id).toEqual([]);
    }
  });

  it('what was pressed is what is met afterwards, on each system', () => {
    const key = fc.oneof(
      fc.constantFrom('k', 'K', '7', '!', '-', ',', 'F5', 'PageUp', 'ArrowLeft', 'Home', 'é', 'ж', ' ', 'Enter', '+'),
      fc.string({ minLength: 1, maxLength: 1 }),
    );
    const held = fc.record({
      ctrlKey: fc.boolean(),
      metaKey: fc.boolean(),
      altKey: fc.boolean(),
      shiftKey: fc.boolean(),
    });
    fc.assert(
      fc.property(key, held, fc.boolean(), (pressed, modifiers, mac) => {
        const event = press(pressed, modifiers);
        const keys = keysOfPress(event, mac);
        if (keys === null || refuseShortcut(keys) !== null) return;
        expect(matchesKeys(event, keys, mac)).toBe(true);
        expect(checkSetting('shortcuts.keys', { 'session.new': keys }).ok).toBe(true);
      }),
    );
    expect(keysOfPress(press('Control', { ctrlKey: true }), false)).toBeNull();
    expect(keysOfPress({ ...press('∑', { altKey: true }), code: 'KeyW' }, true)).toBe('Alt+W');
    expect(keysOfPress(press('k', { ctrlKey: true, shiftKey: true }), false)).toBe('Mod+Shift+K');
  });

  it('stores no nonsense, and says which keys it does not take', () => {
    const bad: unknown[] = [
      null,
      [],
      'Mod+K',
      { 'session.new': 5 },
      { 'session.new': 'Mod+C' },
      { __proto__x: 'Mod+K' },
      { 'session.new': 'K'.repeat(100) },
      Object.fromEntries(
        Array.from({ length: 301 }, (_, at) => [`a${'b'.repeat(at % 50)}.${'c'.repeat(at / 50)}`, '']),
      ),
    ];
    for (const value of bad) expect(checkSetting('shortcuts.keys', value).ok, JSON.stringify(value)).toBe(false);
    expect(checkSetting('shortcuts.keys', { 'session.new': 'Mod+C' })).toMatchObject({
      message: expect.stringMatching(/Mod\+C for session\.new, which is for editing text/) as unknown,
    });
    expect(checkSetting('shortcuts.keys', { 'of.another.version': 'Mod+Shift+9', 'graph.head': 'J', x: '' }).ok).toBe(
      true,
    );
    expect(isOwnKey('h')).toBe(false);
    expect(MODIFIERS).toEqual(['Mod', 'Control', 'Alt', 'Shift']);
  });
});
