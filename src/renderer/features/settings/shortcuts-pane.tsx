import { type KeyboardEvent, useRef, useState } from 'react';
import { RotateCcw } from 'lucide-react';
import type { Shortcuts } from '@shared/shortcuts';
import { CHANGEABLE, holdersOf, keysOfAction, withKeys } from '../../actions/assign-shortcut';
import type { Listed } from '../../actions/menus';
import { initialKeys, refuseKeys, shortcutKind } from '../../actions/shortcuts';
import { useSettings } from '../../state/hooks';
import { formatKeys, isMac, keysOfPress } from '../../state/keys';
import { Button, cx, IconButton } from '../../ui';
import { KeyLists } from '../palette/help-dialog';
import { Pane } from './pane';
import styles from './settings.module.css';
import { useSetting } from './use-setting';

/** What became of the keys that were pressed for an action. */
interface Answer {
  id: string;
  text: string;
  /** They belong to others, who give them up if the person says so. */
  offer?: { keys: string; holders: Listed[] };
}

/** Keys of actions, each changed by pressing others (WN15); below them those that are fixed, and the slash commands. */
export function ShortcutsPane() {
  const { value: chosen, problem, isChanged, update, reset } = useSetting('shortcuts.keys');
  const [pressing, setPressing] = useState<string | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const mac = useSettings((state) => isMac(state.platform));
  const inWords = (keys: string): string => formatKeys(keys, mac);

  function give(action: Listed, keys: string, holders: readonly Listed[]): void {
    const others = holders.map(({ label }) => `“${label}” has no keys now.`);
    update((now) => withKeys(now, action, keys, holders));
    setAnswer({ id: action.id, text: [keys === '' ? 'No keys.' : `Now ${inWords(keys)}.`, ...others].join(' ') });
  }
  function take(action: Listed, keys: string): void {
    setPressing(null);
    const why = keys === '' ? null : refuseKeys(action, keys);
    if (why !== null) return setAnswer({ id: action.id, text: `${inWords(keys)} ${why}.` });
    const holders = keys === '' ? [] : holdersOf(chosen, action, keys, mac);
    if (holders.length === 0) return give(action, keys, []);
    const names = holders.map(({ label }) => `“${label}”`).join(' and ');
    setAnswer({ id: action.id, text: `${inWords(keys)} is taken by ${names}.`, offer: { keys, holders } });
  }
  const rows = (kind: 'everywhere' | 'place') =>
    CHANGEABLE.filter((action) => shortcutKind(action) === kind).map((action) => (
      <ShortcutRow
        key={action.id}
        action={action}
        chosen={chosen}
        mac={mac}
        isPressing={pressing === action.id}
        answer={answer?.id === action.id ? answer : null}
        onBegin={() => {
          setAnswer(null);
          setPressing(action.id);
        }}
        onEnd={() => setPressing(null)}
        onKeys={(keys) => take(action, keys)}
        onOffer={(offer) => (offer ? give(action, offer.keys, offer.holders) : setAnswer(null))}
      />
    ));
  return (
    <Pane title="Shortcuts" lead="They are the same in every session. To change one, choose it and press other keys.">
      {problem && <p role="alert">{problem}</p>}
      <section className={styles.section} aria-label="Shortcuts everywhere">
        <div className={styles.sectionHead}>
          <h3>Everywhere</h3>
          <Button
            size="small"
            disabled={!isChanged}
            onClick={() => {
              setAnswer(null);
              reset();
            }}
          >
            Reset all
          </Button>
        </div>
        <div className={styles.rows}>{rows('everywhere')}</div>
      </section>
      <section className={styles.section} aria-label="Shortcuts in the graph and on messages">
        <h3>In the graph and on a message</h3>
        <div className={styles.rows}>{rows('place')}</div>
      </section>
      <section className={styles.section} aria-label="Fixed keys and commands">
        <h3>Fixed keys and commands</h3>
        <KeyLists isFixed />
      </section>
    </Pane>
  );
}

interface ShortcutRowProps {
  action: Listed;
  chosen: Shortcuts;
  mac: boolean;
  isPressing: boolean;
  answer: Answer | null;
  onBegin: () => void;
  onEnd: () => void;
  /** '': none. */
  onKeys: (keys: string) => void;
  onOffer: (offer: Answer['offer'] | null) => void;
}

function ShortcutRow(props: ShortcutRowProps) {
  const { action, chosen, mac, isPressing, answer, onBegin, onEnd, onKeys, onOffer } = props;
  const keys = keysOfAction(chosen, action);
  const initial = initialKeys(action);
  // Keys that came with a later version may be another's by now: that one goes first.
  const others = keys === undefined ? [] : holdersOf(chosen, action, keys, mac);
  const clash = others.length > 0 ? `Also the keys of ${others.map(({ label }) => `“${label}”`).join(' and ')}.` : null;
  const says = isPressing ? 'Press the new keys. Backspace: no keys. Esc: keep the old ones.' : (answer?.text ?? clash);

  /** While keys are pressed for an action they do nothing else; Tab leaves. */
  function listen(event: KeyboardEvent): void {
    if (!isPressing || event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    const pressed = keysOfPress(event, mac);
    if (pressed === 'Escape') onEnd();
    else if (pressed === 'Backspace') onKeys('');
    else if (pressed !== null) onKeys(pressed);
  }
  const button = useRef<HTMLButtonElement>(null);
  /** What goes with the keyboard on it leaves it to the keys of its row. */
  const atKeys = (run: () => void): void => {
    button.current?.focus();
    run();
  };
  const shown = keys === undefined ? 'none' : formatKeys(keys, mac);
  return (
    <div className={cx(styles.line, styles.shortcut)} role="group" aria-label={action.label}>
      <div className={styles.lineText}>
        {action.label}
        <div className={styles.lineHint} role="status">
          {says}
        </div>
      </div>
      <div className={styles.lineActions}>
        {!answer?.offer && keys !== initial && (
          <IconButton
            label={`Reset “${action.label}” to ${initial === undefined ? 'no keys' : formatKeys(initial, mac)}`}
            size="small"
            onClick={() => atKeys(() => onKeys(initial ?? ''))}
          >
            <RotateCcw size={13} />
          </IconButton>
        )}
        <Button
          ref={button}
          size="small"
          className={cx(styles.keys, keys === undefined && styles.noKeys)}
          aria-label={`Keys of “${action.label}”: ${shown}`}
          aria-pressed={isPressing}
          {...(isPressing ? { 'data-own-escape': true } : {})}
          onClick={onBegin}
          onBlur={() => isPressing && onEnd()}
          onKeyDown={listen}
        >
          {isPressing ? 'Press keys…' : shown}
        </Button>
        {answer?.offer && (
          <>
            <Button size="small" tone="primary" onClick={() => atKeys(() => onOffer(answer.offer))}>
              Use them here
            </Button>
            <Button size="small" onClick={() => atKeys(() => onOffer(null))}>
              Cancel
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
