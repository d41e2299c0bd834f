import { Command as Cmdk } from 'cmdk';
import { Dialog, Kbd } from '../../ui';
import { COMMANDS, runCommand, type Command } from '../../state/commands';
import { useApp, useSessions, useSettings, useUi } from '../../state/hooks';
import { formatKeys, isMac } from '../../state/keys';
import { titleOf } from '../../state/session-actions';
import styles from './palette.module.css';

const GROUPS: readonly Command['group'][] = ['Session', 'View', 'Settings', 'Help'];
/** Sessions offered in the palette: the newest ones; the filter of the list finds the rest. */
const MAX_SESSIONS = 50;

/** Every action with its shortcut, and the newest sessions, in one searchable list. */
export function Palette() {
  const app = useApp();
  const open = useUi((ui) => ui.palette);
  const setOpen = (palette: boolean): void => app.ui.setState({ palette });
  return (
    <Dialog open={open} onOpenChange={setOpen} title="Command palette" hideTitle flush width={560}>
      <PaletteList onDone={() => setOpen(false)} />
    </Dialog>
  );
}

function PaletteList({ onDone }: { onDone: () => void }) {
  const app = useApp();
  const mac = useSettings((state) => isMac(state.platform));
  // A command may open another dialog or move the focus: this one closes and gives the focus back first.
  const act = (run: () => void): void => {
    onDone();
    requestAnimationFrame(() => setTimeout(run));
  };
  return (
    <Cmdk label="Commands" loop className={styles.command}>
      <Cmdk.Input className={styles.search} placeholder="What do you want to do?" />
      <Cmdk.List className={styles.list}>
        <Cmdk.Empty className={styles.empty}>Nothing has that name.</Cmdk.Empty>
        {GROUPS.map((group) => (
          <Cmdk.Group key={group} heading={group} className={styles.group}>
            {COMMANDS.filter((command) => command.group === group && command.enabled?.(app) !== false).map(
              (command) => (
                <Cmdk.Item
                  key={command.id}
                  value={command.id}
                  keywords={[command.title, command.slash ? `/${command.slash}` : '']}
                  className={styles.item}
                  onSelect={() => act(() => runCommand(app, command, ''))}
                >
                  <span className={styles.title}>{command.title}</span>
                  {command.slash && <code className={styles.slash}>/{command.slash}</code>}
                  {command.keys && <Kbd>{formatKeys(command.keys, mac)}</Kbd>}
                </Cmdk.Item>
              ),
            )}
          </Cmdk.Group>
        ))}
        <SessionItems onChoose={(id) => act(() => app.activate(id))} />
      </Cmdk.List>
    </Cmdk>
  );
}

function SessionItems({ onChoose }: { onChoose: (id: string) => void }) {
  const byId = useSessions((state) => state.byId);
  const newest = Object.values(byId)
    .sort((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, MAX_SESSIONS);
  return (
    <Cmdk.Group heading="Go to session" className={styles.group}>
      {newest.map((session) => (
        <Cmdk.Item
          key={session.id}
          value={`session ${session.id}`}
          keywords={[titleOf(session), session.preview]}
          className={styles.item}
          onSelect={() => onChoose(session.id)}
        >
          <span className={styles.title}>{titleOf(session)}</span>
        </Cmdk.Item>
      ))}
    </Cmdk.Group>
  );
}
