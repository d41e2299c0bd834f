import { Dialog, Kbd } from '../../ui';
import { keysOfAction } from '../../actions/assign-shortcut';
import { LIST, type Listed, MENUS } from '../../actions/menus';
import { shortcutKind } from '../../actions/shortcuts';
import { useApp, useSettings, useUi } from '../../state/hooks';
import { ANSWER_LINES, formatKeys, isMac } from '../../state/keys';
import styles from './palette.module.css';

interface Line {
  what: string;
  keys: string[];
  /** The action whose keys they are, where they can be changed. */
  action?: Listed;
}

const ENTRY_KEYS = ['entry.pin', 'entry.label', 'entry.branch'] as const;

const ofBranch: readonly string[] = MENUS.branch;

/** Keys that belong to a place rather than to a command. */
const PLACES: readonly { title: string; lines: Line[] }[] = [
  {
    title: 'In the composer',
    lines: [
      { what: 'Send, or steer a running agent', keys: ['Enter'] },
      { what: 'New line', keys: ['Shift+Enter'] },
      { what: 'Queue a follow-up', keys: ['Alt+Enter'] },
      { what: 'Stop the agent', keys: ['Escape'] },
      { what: 'Previous prompts (empty composer)', keys: ['ArrowUp'] },
      { what: 'Commands and files', keys: ['/', '@'] },
    ],
  },
  { title: 'On an approval card that has the focus', lines: [...ANSWER_LINES] },
  {
    title: 'On a message, from its actions',
    lines: LIST.filter(({ id }) => (ENTRY_KEYS as readonly string[]).includes(id)).map(lineOf),
  },
  {
    title: 'In the list of branches',
    lines: [
      { what: 'Move', keys: ['ArrowUp', 'ArrowDown'] },
      ...LIST.filter(({ id, ownKeys }) => ownKeys !== undefined && ofBranch.includes(id)).map(lineOf),
      { what: 'Tick, to compare or hide', keys: ['Space'] },
      { what: 'Hide, or show again', keys: ['Delete', 'H'] },
      { what: 'All that can be done with it', keys: ['Shift+F10'] },
    ],
  },
  {
    title: 'In the session list',
    lines: [
      { what: 'Move', keys: ['ArrowUp', 'ArrowDown'] },
      { what: 'Open', keys: ['Enter'] },
      { what: 'Rename', keys: ['F2'] },
      { what: 'Delete (can be undone)', keys: ['Delete'] },
    ],
  },
];

/** In the column of fewer lines. */
const IN_GRAPH: readonly Line[] = [
  { what: 'Walk', keys: ['ArrowUp', 'ArrowDown'] },
  { what: 'Open or close a branch, or go beside', keys: ['ArrowRight', 'ArrowLeft'] },
  { what: 'First turn, HEAD', keys: ['Home', 'End'] },
  { what: 'Preview', keys: ['P'] },
  { what: 'All that can be done there', keys: ['Shift+F10'] },
  { what: 'Find', keys: ['/'] },
  { what: 'Next hit, the one before', keys: ['Enter', 'Shift+Enter'] },
  ...LIST.filter(isOfGraph).map(lineOf),
];

/** Its key counts in the graph: what is done there, and what of its menu is done with any message. */
function isOfGraph({ id, on, ownKeys }: Listed): boolean {
  if (ownKeys === undefined) return false;
  return on === 'node' || on === 'graph' || (MENUS.node as readonly string[]).includes(id);
}

function lineOf(action: Listed): Line {
  return { what: action.label, keys: [action.ownKeys ?? ''], ...(shortcutKind(action) === null ? {} : { action }) };
}

/** Shortcuts and slash commands, from the same list that runs them. */
export function HelpDialog() {
  const app = useApp();
  const open = useUi((ui) => ui.help);
  return (
    <Dialog open={open} onOpenChange={(help) => app.ui.setState({ help })} title="Shortcuts and commands" width={760}>
      <KeyLists />
    </Dialog>
  );
}

/** All keys and slash commands of the app, as the actions and the person say them: in the help, and what is fixed in Settings (WN15). */
export function KeyLists({ isFixed = false }: { isFixed?: boolean }) {
  const chosen = useSettings((state) => state.settings['shortcuts.keys']);
  const mac = useSettings((state) => isMac(state.platform));
  const enterSends = useSettings((state) => state.settings['composer.enterSends']);
  const global: Line[] = [
    ...LIST.filter((action) => shortcutKind(action) === 'everywhere').map(lineOf),
    { what: 'Next pane', keys: ['F6'] },
    { what: 'Go to the notices', keys: ['F8'] },
  ];
  /** As they are now, without those that have none. */
  const now = (lines: readonly Line[]): Line[] =>
    lines.flatMap((line) => {
      if (!line.action) return [swap(line, enterSends)];
      const keys = isFixed ? undefined : keysOfAction(chosen, line.action);
      return keys === undefined ? [] : [{ ...line, keys: [keys] }];
    });
  return (
    <div className={styles.help} role="group" aria-label="Shortcuts and commands" tabIndex={0}>
      <div>
        <Lines title="Everywhere" lines={now(global)} mac={mac} />
        <Lines title="In the graph" lines={now(IN_GRAPH)} mac={mac} />
      </div>
      <div>
        {PLACES.map((place) => (
          <Lines key={place.title} title={place.title} lines={now(place.lines)} mac={mac} />
        ))}
        <h3>Slash commands</h3>
        <dl>
          {LIST.filter(({ slash }) => slash).map(({ id, label, slash, argument }) => (
            <div key={id}>
              <dt>{label}</dt>
              <dd>
                <code>
                  /{slash}
                  {argument && ` <${argument}>`}
                </code>
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}

/** With “Enter sends” off, Enter breaks the line. */
function swap(line: Line, enterSends: boolean): Line {
  if (enterSends) return line;
  if (line.keys[0] === 'Shift+Enter') return { ...line, keys: ['Enter'] };
  return line.what.startsWith('Send') ? { ...line, keys: ['Mod+Enter'] } : line;
}

function Lines({ title, lines, mac }: { title: string; lines: readonly Line[]; mac: boolean }) {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl>
        {lines.map((line) => (
          <div key={line.what}>
            <dt>{line.what}</dt>
            <dd>
              {line.keys.map((keys) => (
                <Kbd key={keys}>{formatKeys(keys, mac)}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
