import type { ReactNode } from 'react';
import type { Shortcuts } from '@shared/shortcuts';
import { closest, distance } from 'fastest-levenshtein';
import { type SlashCommand, splitSlash } from '@shared/slash';
import type { App } from '../state/app-type';
import { formatKeys, isMac, type KeyPress, matchesKeys } from '../state/keys';
import { sessionShown } from '../state/sessions-store';
import type { MenuItem } from '../ui';
import { type Action, type Kind, refuse, sessionIdOf, type Targets, type Verdict } from './action';
import { graphHere } from './graph-here';
import { ACTIONS } from './registry';
import { chosenKeys, keyInPlace, keysEverywhere } from './shortcuts';

/** What is made of the registry: menus, keys, slash commands, and the one way in which an action runs. */

export type ActionId = keyof typeof ACTIONS;
export type TargetOf<I extends ActionId> = Targets[(typeof ACTIONS)[I]['on']];

const actionOf = (id: ActionId): Action => ACTIONS[id] as Action;
const shortcutsOf = (app: App): Shortcuts => app.settings.getState().settings['shortcuts.keys'];

export type Listed = Action & { id: ActionId };
/** All of them, in the order of the registry. */
export const LIST: readonly Listed[] = (Object.keys(ACTIONS) as ActionId[]).map((id) => ({ id, ...actionOf(id) }));

/** Menus and toolbars, each of targets of one kind. `-` is a line; what makes no sense for a target is left out. */
export const MENUS = {
  session: [
    'session.rename',
    'session.pin',
    'session.archive',
    '-',
    'session.export',
    'session.exportPage',
    'session.exportMarkdown',
    'session.copyAll',
    '-',
    'session.delete',
  ],
  /** A file of the list that is not a session. */
  file: ['session.showFile', 'session.delete'],
  tools: ['entry.edit', 'entry.again', 'entry.branch'],
  entry: [
    'entry.pin',
    'entry.label',
    'entry.reference',
    'entry.fork',
    'entry.seen',
    'entry.inGraph',
    '-',
    'entry.hide',
  ],
  compaction: ['compaction.edit', 'compaction.again', 'compaction.seen'],
  node: [
    ...['node.go', 'node.goSummary', 'node.read', 'entry.branch', 'node.edit', '-'],
    ...[
      'node.earlier',
      'node.later',
      'node.compare',
      'node.variants',
      'node.bring',
      'node.carry',
      'entry.label',
      'node.name',
      'entry.pin',
      'node.fold',
      '-',
    ],
    ...['entry.fork', 'node.toFork', 'node.toSource', 'entry.reference', 'entry.hide'],
  ],
  /** A branch in the list of them. */
  branch: [
    ...['node.go', 'node.goSummary', 'node.read', 'node.compare', 'node.name', '-'],
    ...['node.bring', 'entry.fork', 'node.toFork', 'node.toSource', '-', 'entry.hide'],
  ],
  text: ['text.openLink', 'text.copyLink', '-', 'text.copy', 'text.copyMarkdown', 'text.quote', 'text.select'],
  graph: ['graph.fit', 'graph.head', 'graph.kind', 'graph.sort', 'graph.fold', 'graph.unfold'],
  zoom: ['graph.zoomOut', 'graph.zoomIn', 'graph.fit'],
  folds: ['graph.sort', 'graph.fold', 'graph.unfold'],
  filters: [
    ...['graph.all', 'graph.noTools', 'graph.mine', 'graph.labelled', 'graph.errors', 'graph.compactions'],
    ...['graph.changes', 'graph.hidden'],
  ],
} as const satisfies Record<string, readonly (ActionId | '-')[]>;

/** Menus of places that have the keyboard: there the actions have keys of their own. */
const KEYED: readonly MenuName[] = ['session', 'file', 'entry', 'tools', 'node', 'branch', 'graph', 'zoom'];

export type MenuName = keyof typeof MENUS;
interface MenuTargets extends Targets {
  tools: Targets['entry'];
  compaction: Targets['entry'];
  branch: Targets['node'];
  zoom: Targets['graph'];
  folds: Targets['graph'];
  filters: Targets['graph'];
}

/** Whether an action can act on a target now; if not, whether it is offered all the same, and why not. */
export function verdictOn<I extends ActionId>(app: App, id: I, target: TargetOf<I>): Verdict {
  return actionOf(id).isEnabled?.(app, target as never) ?? true;
}

/** The session on whose state it hangs whether an action can act; null: on none, and none is opened to ask. */
export function decidingSession<I extends ActionId>(id: I, target: TargetOf<I>): string | null {
  const { on, isEnabled } = actionOf(id);
  return isEnabled ? sessionIdOf(on, target) : null;
}

/** What an action is called beside its target. */
export function labelOf<I extends ActionId>(app: App, id: I, target: TargetOf<I>): string {
  const { short, label } = actionOf(id);
  return typeof short === 'function' ? short(app, target as never) : (short ?? label);
}

/** Refused for good: what offers it is disabled. */
export function isOut(verdict: Verdict): boolean {
  return verdict === false || (verdict !== true && (verdict.hint === undefined || verdict.isOut === true));
}

/** Does it, or says why not. */
export function act<I extends ActionId>(app: App, id: I, target: TargetOf<I>, text = ''): void {
  const verdict = verdictOn(app, id, target);
  if (verdict === true) void actionOf(id).run(app, target as never, text);
  else if (verdict) refuse(app, verdict);
}

/** The entries of a menu for a target. */
export function menuItems<M extends MenuName>(
  app: App,
  menu: M,
  target: MenuTargets[M],
  icons?: (id: ActionId) => ReactNode,
): MenuItem[] {
  return MENUS[menu].flatMap((id: ActionId | '-', index): MenuItem[] => {
    if (id === '-') return [{ kind: 'separator', id: String(index) }];
    const verdict = verdictOn(app, id, target as never);
    if (verdict === false) return [];
    const { isDanger } = actionOf(id);
    const ownKeys = ownKeysOf(app, id);
    const keys = ownKeys !== undefined && KEYED.includes(menu) ? formatKeys(ownKeys, false) : undefined;
    return [
      {
        id,
        label: labelOf(app, id, target as never),
        hint: keys ?? (verdict === true ? undefined : verdict.hint),
        disabled: isOut(verdict),
        danger: isDanger,
        icon: icons?.(id),
        onSelect: () => act(app, id, target as never),
      },
    ];
  });
}

/** The action of a menu that has this key while the keyboard is on the target of that menu. */
export function actionOfKey(app: App, menu: MenuName, key: string): ActionId | undefined {
  const name = key === ' ' ? 'Space' : key === '=' ? '+' : key.length === 1 ? key.toUpperCase() : key;
  const ids: readonly (ActionId | '-')[] = MENUS[menu];
  return ids.find((id): id is ActionId => id !== '-' && ownKeysOf(app, id) === name);
}

/** The key of an action while the keyboard is on its target, as text. */
export function ownKeysOf(app: App, id: ActionId): string | undefined {
  return keyInPlace(shortcutsOf(app), { id, ...actionOf(id) });
}

/** What palette, keys and slash commands act on: what is shown. Undefined: there is none. */
function targetHere<K extends Kind>(app: App, kind: K): Targets[K] | undefined {
  const state = app.sessions.getState();
  if (kind === 'app') return null as Targets[K];
  if (kind === 'session') return sessionShown(state) as Targets[K] | undefined;
  if (kind === 'graph') return graphHere(app)?.view as Targets[K] | undefined;
  if (kind === 'node' || kind === 'entry') return (graphHere(app)?.node() ?? undefined) as Targets[K] | undefined;
  const shown = kind === 'file' && state.activeId !== null ? state.byId[state.activeId] : undefined;
  return shown as Targets[K] | undefined;
}

/** Whether an action can act on what is shown; where nothing is shown it makes no sense. */
function verdictHere(app: App, id: ActionId): Verdict {
  const target = targetHere(app, actionOf(id).on);
  return target !== undefined && verdictOn(app, id, target as never);
}

/** Does it with what is shown. */
export function actHere(app: App, id: ActionId, text = ''): void {
  const target = targetHere(app, actionOf(id).on);
  if (target !== undefined) act(app, id, target as never, text);
}

/** The actions of the palette that make sense for what is shown, below their headings; those of the graph and its turn where that has the keyboard (GR24). */
export function paletteOf(app: App): { group: string; actions: Listed[] }[] {
  const actions = LIST.filter(({ id, on, group }) => {
    const target = (group || OF_GRAPH.has(id)) && targetHere(app, on);
    return Boolean(target !== undefined && target !== false && !isOut(verdictOn(app, id, target as never)));
  });
  const groups = ['Session', 'View', 'Settings', 'Help'] as const;
  const ofGraph = graphHere(app) ? actions.filter(({ id }) => OF_GRAPH.has(id)) : [];
  // The graph and the session can both be sorted: it is the same, and stands there once.
  const labels = new Set(ofGraph.map(({ label }) => label));
  const isOf = (group: string, action: Listed): boolean => action.group === group && !labels.has(action.label);
  const named = groups.map((group) => ({ group, actions: actions.filter((action) => isOf(group, action)) }));
  return ofGraph.length > 0 ? [{ group: 'Graph', actions: ofGraph }, ...named] : named;
}

const OF_GRAPH: ReadonlySet<string> = new Set([...MENUS.node, ...MENUS.graph, ...MENUS.filters]);

/** The action with these keys, wherever the keyboard is. What the person chose goes before what came with a later version. */
export function actionOfKeys(app: App, event: KeyPress): ActionId | undefined {
  const [chosen, mac] = [shortcutsOf(app), isMac(app.settings.getState().platform)];
  const found = LIST.filter((action) => {
    const keys = action.isLocal ? undefined : keysEverywhere(chosen, action);
    return keys !== undefined && matchesKeys(event, keys, mac);
  });
  return (found.find((action) => chosenKeys(chosen, action) !== undefined) ?? found[0])?.id;
}

/** The keys of an action as the platform writes them; of the graph's those that count there. */
export function keysOf(app: App, id: ActionId): string | undefined {
  const keys =
    keysEverywhere(shortcutsOf(app), { id, ...actionOf(id) }) ?? (OF_GRAPH.has(id) ? ownKeysOf(app, id) : undefined);
  return keys && formatKeys(keys, isMac(app.settings.getState().platform));
}

/** Slash commands: what a text of the composer that begins like one comes to (CM3, CM4). */

/** A command that can act. */
interface Command {
  id: ActionId;
  argument: string;
}

/** Why a text is not carried out; it is not sent either, unless the person says so. */
export interface SlashRefusal {
  why: string;
  /** The text with the command that was probably meant. */
  meant?: string;
  /** It may have been meant as a message. */
  canBeSent: boolean;
}

/** A command of an extension, a skill, a template, a server: main carries it out. */
export interface OutsideCommand {
  outside: SlashCommand;
}

/** How many letters may be wrong in a name of five. */
const TYPOS = 0.4;

const NAMES = LIST.flatMap(({ slash }) => slash ?? []);

/** Of the session that is shown; besides the app's own, which win where both have a name. */
export function outsideCommands(app: App): readonly SlashCommand[] {
  const { activeId } = app.sessions.getState();
  return app.slash.of(activeId ?? '').filter(({ name }) => !NAMES.includes(name.toLowerCase()));
}

/** What a text asks for; null: it is an ordinary message, also where a path stands at its beginning. */
export function readSlash(app: App, text: string): Command | OutsideCommand | SlashRefusal | null {
  const others = outsideCommands(app);
  const typedName = splitSlash(text)?.name;
  const outside = others.find(({ name }) => name === typedName);
  if (outside) return { outside };
  const match = /^\/(\p{L}[\w-]*)(?:\s+([\s\S]*))?$/u.exec(text.trim());
  if (!match) return null;
  const [, typed = '', argument = ''] = match;
  const name = typed.toLowerCase();
  const action = LIST.find(({ slash }) => slash === name);
  if (!action) return unknown(typed, argument, [...NAMES, ...others.map((command) => command.name)]);
  if (argument.includes('\n') && !action.multiline) return { why: `/${name} takes one line.`, canBeSent: true };
  const verdict = verdictHere(app, action.id);
  if (verdict === true) return { id: action.id, argument: argument.trim() };
  const why = verdict ? verdict.text : `/${name} can’t do anything here now.`;
  return { why, canBeSent: false };
}

function unknown(typed: string, argument: string, names: readonly string[]): SlashRefusal {
  const why = `No command /${typed}.`;
  const nearest = closest(typed.toLowerCase(), names);
  if (distance(typed.toLowerCase(), nearest) > Math.ceil(nearest.length * TYPOS)) return { why, canBeSent: true };
  return {
    why: `${why} Did you mean /${nearest}?`,
    meant: `/${nearest}${argument === '' ? '' : ` ${argument}`}`,
    canBeSent: true,
  };
}
