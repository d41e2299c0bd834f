import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { APP_MENU } from '../../../src/shared/app-menu';
import type { SessionSummary } from '../../../src/shared/types';
import type { Row } from '../../../src/shared/session-state/state';
import type { Action, EntryTarget } from '../../../src/renderer/actions/action';
import * as menus from '../../../src/renderer/actions/menus';
import { ACTIONS } from '../../../src/renderer/actions/registry';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import { createMemoryStore } from '../../support/memory-store';
import { NO_PAGE, type Page } from '../../../src/renderer/state/page';

const { LIST, MENUS, act, actHere, decidingSession, menuItems, paletteOf } = menus;
const ID = 'session';

/** An app with a session that is shown; `asked` is what main was asked for. */
function openApp(summary: Partial<SessionSummary> = {}, page: Partial<Page> = {}): { app: App; asked: string[] } {
  const asked: string[] = [];
  const request = (name: string): Promise<unknown> => {
    if (name !== 'session.open') asked.push(name);
    return new Promise(() => undefined);
  };
  const client = { request, onEvents: () => () => undefined } as unknown as Client;
  const app = createApp({ client, local: createMemoryStore(), now: () => 0, page: { ...NO_PAGE, ...page } });
  const session = { id: ID, title: 'A', state: 'idle', ...summary } as SessionSummary;
  app.sessions.setState({ byId: { [ID]: session }, activeId: ID });
  if (session.state === 'streaming') app.openSession(ID).live.setState({ phase: 'running' });
  return { app, asked };
}

const repeated = (words: (string | undefined)[]): string[] => {
  const said = words.filter((word) => word !== undefined);
  return said.filter((word, at) => said.indexOf(word) !== at);
};

/** The code of the window, registry and menus aside. */
function componentTexts(folder = join(import.meta.dirname, '../../../src/renderer')): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((item) => {
      const path = join(folder, item.name);
      if (item.isDirectory()) return item.name === 'actions' ? '' : componentTexts(path);
      return /\.tsx?$/.test(item.name) ? readFileSync(path, 'utf8') : '';
    })
    .join('\n');
}

describe('the registry', () => {
  it('WN7: every action has words that say what it does', () => {
    expect(LIST.filter(({ label }) => !/^[A-Z].*\S$/.test(label))).toEqual([]);
    expect(LIST.length).toBeGreaterThan(60);
    expect(repeated(LIST.filter(({ group }) => group).map(({ label }) => label))).toEqual([]);
  });

  it('WN7: no two have the same keys, or the same slash command', () => {
    expect(repeated(LIST.map(({ keys }) => keys))).toEqual([]);
    expect(repeated(LIST.map(({ slash }) => slash))).toEqual([]);
    expect(LIST.filter(({ slash, argument, multiline }) => (!slash && argument) || (!argument && multiline))).toEqual(
      [],
    );
    expect(LIST.filter(({ slash }) => slash !== undefined && !/^[a-z]+$/.test(slash))).toEqual([]);
  });

  it('WN7: the keys of a place lead to one action each', () => {
    const places = [['session'], ['file'], ['node', 'graph', 'zoom'], ['branch']] as const;
    for (const place of places) {
      const ids = new Set(place.flatMap((menu) => [...MENUS[menu]]).filter((id) => id !== '-'));
      const ownKeys = [...ids].map((id) => (ACTIONS[id] as Action).ownKeys);
      expect(repeated(ownKeys), place.join()).toEqual([]);
    }
  });

  it('WN7: every entry of a menu is an action on what the menu is of', () => {
    const of: Record<keyof typeof MENUS, string[]> = {
      session: ['session', 'file'],
      file: ['file'],
      tools: ['entry'],
      entry: ['entry'],
      compaction: ['entry'],
      node: ['node', 'entry'],
      branch: ['node', 'entry'],
      text: ['text'],
      graph: ['graph'],
      zoom: ['graph'],
      folds: ['graph'],
      filters: ['graph'],
    };
    for (const [menu, ids] of Object.entries(MENUS)) {
      const actions = ids.filter((id) => id !== '-');
      expect(repeated(actions), menu).toEqual([]);
      for (const id of actions) expect(of[menu as keyof typeof MENUS], `${menu}: ${id}`).toContain(ACTIONS[id].on);
    }
    for (const [id, words] of Object.entries(APP_MENU))
      expect(ACTIONS[id as keyof typeof ACTIONS]).toMatchObject(words);
  });

  it('WN7: each is reached from the palette, a menu or a button', () => {
    const inMenus = new Set<string>([...Object.values(MENUS).flat(), ...Object.keys(APP_MENU)]);
    const components = componentTexts();
    // The buttons of a failure are named by main.
    const failure = ['retry', 'continue', 'compact', 'undo', 'drop', 'settings', 'model', 'dismiss'].map(
      (name) => `turn.${name}`,
    );
    expect(components).toContain('id={`turn.${action}`}');
    const isOnButton = (id: string): boolean =>
      components.includes(`'${id}'`) || components.includes(`id="${id}"`) || failure.includes(id);
    expect(LIST.filter(({ id, group }) => !group && !inMenus.has(id) && !isOnButton(id)).map(({ id }) => id)).toEqual(
      [],
    );
  });
});

describe('what can be done', () => {
  const titles = (app: App): string[] => paletteOf(app).flatMap(({ actions }) => actions.map(({ label }) => label));
  const entry: EntryTarget = { sessionId: ID, id: 'a', endId: 'b' };
  const labels = (app: App, target: EntryTarget): unknown[] =>
    menuItems(app, 'entry', target).map((item) => ('label' in item ? [item.label, 'hint' in item && item.hint] : '-'));

  it('the palette offers what makes sense for what is shown', () => {
    const { app } = openApp();
    expect(titles(app)).toEqual(expect.arrayContaining(['New session', 'Rename this session', 'Settings']));
    for (const none of ['Stop the agent', 'Compact this session', 'Hand off to a new session'])
      expect(titles(app)).not.toContain(none);
    const foreign = openApp({ foreign: 'a picture' }).app;
    expect(titles(foreign)).toContain('Delete this session');
    expect(titles(foreign)).not.toContain('Rename this session');
    const none = openApp().app;
    none.sessions.setState({ activeId: null });
    expect(titles(none)).not.toContain('Delete this session');
    expect(titles(none)).toContain('New session');
  });

  it('what makes no sense for a target is not in its menu; what can’t be now says why', () => {
    const { app } = openApp({ state: 'streaming' });
    app.openSession(ID).view.setState({ rows: [{ id: 'a', kind: 'assistant' } as Row] });
    expect(labels(app, entry)).toEqual([
      ['Pin', 'K'],
      ['Label…', 'L'],
      ['Copy reference', undefined],
      ['Fork to a new session', undefined],
      ['What the model saw here', undefined],
      ['Show in graph', 'G'],
      '-',
      ['Hide this branch', 'HEAD is in it'],
    ]);
    expect(labels(app, { ...entry, isOwn: true })).not.toContainEqual(['What the model saw here', undefined]);
    expect(labels(app, { ...entry, hiddenAt: 'a' }).at(-1)).toEqual(['Show this branch again', undefined]);
  });

  it('JB2: what is refused says why, and asks nothing of main', () => {
    const { app, asked } = openApp({ state: 'streaming' });
    act(app, 'entry.again', entry);
    expect([asked, app.ui.getState().toasts[0]?.text]).toEqual([
      [],
      expect.stringContaining('Wait for the current response to finish'),
    ]);
    act(app, 'compaction.undo', entry);
    expect(asked).toEqual([]);
  });

  it('JB2: a button listens to the session that decides whether it can act, whatever its target is', () => {
    expect(decidingSession('branch.back', { id: 's' })).toBe('s');
    expect(decidingSession('session.compactSheet', { id: 's' })).toBe('s');
    expect(decidingSession('compaction.undo', { sessionId: 's', id: 'e' })).toBe('s');
    // The page of a session that wasn't opened, and of a file that is none: asking there must not open it.
    expect(decidingSession('session.export', { id: 's' })).toBeNull();
    expect(decidingSession('session.showFile', { id: 's' })).toBeNull();
    expect(decidingSession('view.composer', null)).toBeNull();
  });

  it('keys act on the session that is shown', () => {
    const { app, asked } = openApp({ state: 'streaming' });
    actHere(app, 'session.stop');
    const press = { key: 'E', ctrlKey: true, metaKey: false, shiftKey: true, altKey: false };
    actHere(app, menus.actionOfKeys(app, press)!);
    expect(asked).toEqual(['session.stop', 'sessions.export']);
    expect(menus.actionOfKeys(app, { ...press, altKey: true })).toBeUndefined();
  });

  it('NT1: Alt+W leads to the next that waits, on macOS too, where Option makes another character of it', () => {
    const press = { key: 'w', code: 'KeyW', ctrlKey: false, metaKey: false, shiftKey: false, altKey: true };
    const { app } = openApp();
    expect(menus.actionOfKeys(app, press)).toBe('session.nextWaiting');
    expect(menus.actionOfKeys(app, { ...press, key: '∑' })).toBeUndefined();
    const onMac = openApp().app;
    onMac.settings.setState({ platform: 'darwin' });
    expect(menus.actionOfKeys(onMac, { ...press, key: '∑' })).toBe('session.nextWaiting');
    expect(menus.actionOfKeys(onMac, { ...press, key: 'z', code: 'KeyZ', ctrlKey: true })).toBeUndefined();
    actHere(app, 'session.nextWaiting');
    expect(app.ui.getState().toasts.map(({ text }) => text)).toEqual(['No session is waiting for you.']);
  });

  it('the row of a session and its bar are each renamed in their place', () => {
    const { app } = openApp();
    actHere(app, 'session.rename');
    expect(app.ui.getState().renaming).toEqual({ sessionId: ID, place: 'bar' });
    const rename = menuItems(app, 'session', { id: ID, inList: true })[0];
    expect(rename).toMatchObject({ label: 'Rename', hint: 'F2' });
    (rename as { onSelect: () => void }).onSelect();
    expect(app.ui.getState().renaming).toEqual({ sessionId: ID, place: 'list' });
  });

  it('the keyboard goes where something was opened', () => {
    const focused: string[] = [];
    const { app } = openApp({}, { focusOnceDrawn: (place) => void focused.push(place), width: () => 900 });
    actHere(app, 'view.graph');
    actHere(app, 'view.tree');
    actHere(app, 'view.find');
    expect(focused).toEqual(['tree', 'outline', 'search']);
    expect(app.ui.getState().layout).toMatchObject({ graphOpen: true, graphOutline: true, sidebarCollapsed: false });
    // WN22: there is no room for both, and asked for the branches come back in the place of the search.
    actHere(app, 'view.graph');
    expect(app.ui.getState()).toMatchObject({ layout: { graphOpen: true }, searchOpen: false });
    actHere(app, 'view.graph');
    expect(app.ui.getState().layout.graphOpen).toBe(false);
  });
});
