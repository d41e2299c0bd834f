import { Command as Cmdk } from 'cmdk';
import { actHere, keysOf, paletteOf } from '../../actions/menus';
import { useApp, useSessions, useUi } from '../../state/hooks';
import { foldText } from '../../state/session-groups';
import { shownTitle, titleOf } from '../../state/sessions-store';
import { Dialog, Kbd } from '../../ui';
import styles from './palette.module.css';

/** What a text that is not the name of its item counts beside one that is. */
const ASIDE = 0.5;

/**
 * How well an item of the palette fits what was typed: 0 not at all, 1 is its name. `names`: by which it is called; `asides`: what else is
 * said of it. Never by its id, which nobody sees (WN8).
 */
export function rankOf(typed: string, names: readonly string[], asides: readonly string[] = []): number {
  const query = foldText(typed);
  if (query === '') return 1;
  const best = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => fit(foldText(text), query)));
  return Math.max(best(names), best(asides) * ASIDE);
}

function fit(text: string, query: string): number {
  if (text === query) return 1;
  if (text.startsWith(query)) return 0.9;
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const asked = query.split(' ');
  if (asked.every((part) => words.some((word) => word.startsWith(part)))) return 0.8;
  if (
    query.length > 1 &&
    words
      .map(([first]) => first)
      .join('')
      .startsWith(query)
  )
    return 0.7;
  return text.includes(query) ? 0.4 : 0;
}

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
  // An action may open another dialog or move the focus: this one closes and gives the focus back first.
  const act = (run: () => void): void => {
    onDone();
    requestAnimationFrame(() => setTimeout(run));
  };
  return (
    <Cmdk label="Commands" loop className={styles.command} filter={rankItem}>
      <Cmdk.Input className={styles.search} placeholder="What do you want to do?" />
      <Cmdk.List className={styles.list}>
        <Cmdk.Empty className={styles.empty}>No matches.</Cmdk.Empty>
        {paletteOf(app).map(({ group, actions }) => (
          <Cmdk.Group key={group} heading={group} className={styles.group}>
            {actions.map(({ id, label, slash, keys }) => (
              <Cmdk.Item
                key={id}
                value={id}
                keywords={[label, slash ? `/${slash}` : '', '']}
                className={styles.item}
                onSelect={() => act(() => actHere(app, id))}
              >
                <span className={styles.title}>{label}</span>
                {slash && <code className={styles.slash}>/{slash}</code>}
                {keys && <Kbd>{keysOf(app, id)}</Kbd>}
              </Cmdk.Item>
            ))}
          </Cmdk.Group>
        ))}
        <SessionItems onChoose={(id) => act(() => app.activate(id))} />
      </Cmdk.List>
    </Cmdk>
  );
}

/** The last of the keywords is what else is said of an item. */
function rankItem(_id: string, typed: string, keywords: string[] = []): number {
  return rankOf(typed, keywords.slice(0, -1), keywords.slice(-1));
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
          <span className={styles.title}>{shownTitle(session)}</span>
        </Cmdk.Item>
      ))}
    </Cmdk.Group>
  );
}
