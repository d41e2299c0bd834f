import { SETTING_KEYS, type SettingKey, SETTINGS, type SettingSpec } from '@shared/settings';
import { foldText } from '../../state/session-groups';
import type { SettingsPane } from '../../state/ui-store';
import { Button } from '../../ui';
import { SettingRow } from './pane';
import styles from './settings.module.css';

/** The panes in the words of their tabs. */
export const PANE_NAMES: Record<SettingsPane, string> = {
  providers: 'Providers',
  tools: 'Tools',
  extensions: 'Extensions',
  mcp: 'MCP',
  context: 'Context',
  instructions: 'Instructions',
  appearance: 'Appearance',
  shortcuts: 'Shortcuts',
  notifications: 'Notifications',
  data: 'Storage',
  about: 'About',
};

/** Where the settings of a group stand. */
const PANE_OF: Record<SettingSpec<unknown>['group'], SettingsPane> = {
  providers: 'providers',
  network: 'providers',
  retry: 'providers',
  tools: 'tools',
  extensions: 'extensions',
  instructions: 'instructions',
  appearance: 'appearance',
  notifications: 'notifications',
  shortcuts: 'shortcuts',
  context: 'context',
  keep: 'context',
  summaries: 'context',
  endpoint: 'context',
  pruning: 'context',
  branches: 'context',
  overrides: 'context',
};

/** What stands in a pane and is no setting of the schema, in the words that are read there. */
const MORE: readonly { pane: SettingsPane; label: string; help: string }[] = [
  { pane: 'providers', label: 'Paste a key', help: 'API keys of providers, their servers and models.' },
  { pane: 'providers', label: 'Providers and servers', help: 'Add an endpoint of your own, look for local servers.' },
  { pane: 'tools', label: 'Trusted folders', help: 'Folders in which the agent may read, and whose AGENTS.md counts.' },
  { pane: 'tools', label: 'Remembered answers', help: 'What you allowed for a session or always.' },
  { pane: 'extensions', label: 'Your extensions', help: 'What is installed, how it failed, and where its files go.' },
  { pane: 'mcp', label: 'MCP servers', help: 'Model Context Protocol: add, review, restart; their tools and logs.' },
  { pane: 'context', label: 'Key of the summary endpoint', help: 'If your own server for summaries needs one.' },
  { pane: 'context', label: 'Limits per model', help: 'Reserve, kept messages and threshold of one model.' },
  {
    pane: 'instructions',
    label: 'Instructions',
    help: 'What every model is told, in all sessions or in one workspace.',
  },
  { pane: 'instructions', label: 'Skills', help: 'SKILL.md: which there are, and which are on.' },
  { pane: 'instructions', label: 'Prompt templates', help: 'Messages of your own behind a slash.' },
  { pane: 'appearance', label: 'Spelling', help: 'Whether what you write is checked, and why not.' },
  { pane: 'data', label: 'Import and export', help: 'Session files (.jsonl).' },
  { pane: 'data', label: 'Sizes of sessions', help: 'Disk space of each session and of what is deleted.' },
  { pane: 'data', label: 'Your files and logs', help: 'The folders in which they lie. Move the data folder.' },
  { pane: 'about', label: 'Version and licences', help: 'What Espalier is, and third-party software.' },
];

/** These have a control of their own in their pane. */
const OWN_PLACE = new Set<SettingKey>(['model.default', 'compaction.modelOverrides', 'shortcuts.keys', 'skills.off']);

interface FoundPane {
  pane: SettingsPane;
  /** Settings that are changed where they were found. */
  keys: SettingKey[];
  /** What can be gone to. */
  more: { label: string; help: string }[];
}

/**
 * The settings with all words of a text in label, help, key or the name of their pane, in the order of the panes; accents and capitals
 * make no difference (WN15). Pure.
 */
export function findSettings(text: string): FoundPane[] {
  const words = foldText(text).split(/\s+/).filter(Boolean);
  const fits = (pane: SettingsPane, ...texts: string[]): boolean => {
    const where = foldText([PANE_NAMES[pane], ...texts].join(' '));
    return words.every((word) => where.includes(word));
  };
  return (Object.keys(PANE_NAMES) as SettingsPane[])
    .map((pane) => {
      const keys = SETTING_KEYS.filter((key) => {
        const { group, label, help } = SETTINGS[key];
        return PANE_OF[group] === pane && fits(pane, label, help, key);
      });
      const own = keys.filter((key) => OWN_PLACE.has(key)).map((key) => SETTINGS[key]);
      const more = MORE.filter((one) => one.pane === pane && fits(pane, one.label, one.help));
      return {
        pane,
        keys: keys.filter((key) => !OWN_PLACE.has(key)),
        more: [...own.filter(({ label }) => !more.some((one) => one.label === label)), ...more],
      };
    })
    .filter(({ keys, more }) => keys.length + more.length > 0);
}

/** What was found, each to be changed at once; by the name of its pane one gets to where it stands. */
export function Found({ found, onShow }: { found: FoundPane[]; onShow: (pane: SettingsPane) => void }) {
  const count = found.reduce((sum, { keys, more }) => sum + keys.length + more.length, 0);
  return (
    <div className={styles.pane}>
      <h2 className={styles.title}>Search</h2>
      <p className={styles.lead} role="status">
        {count === 0 ? 'No setting has these words.' : count === 1 ? '1 setting' : `${count} settings`}
      </p>
      {found.map(({ pane, keys, more }) => (
        <section key={pane} className={styles.section} aria-label={PANE_NAMES[pane]}>
          <div className={styles.sectionHead}>
            <h3>{PANE_NAMES[pane]}</h3>
            <Button size="small" onClick={() => onShow(pane)}>
              Show {PANE_NAMES[pane]}
            </Button>
          </div>
          <div className={styles.rows}>
            {keys.map((key) => (
              <SettingRow key={key} name={key} />
            ))}
            {more.map(({ label, help }) => (
              <div key={label} className={styles.line}>
                <div className={styles.lineText}>
                  <b>{label}</b>
                  <div className={styles.lineHint}>{help}</div>
                </div>
                <div className={styles.lineActions}>
                  <Button size="small" aria-label={`Go to ${label}`} onClick={() => onShow(pane)}>
                    Go to
                  </Button>
                </div>
              </div>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}
