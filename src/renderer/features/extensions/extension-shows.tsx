import { useState } from 'react';
import { Puzzle } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import type { ExtensionWidget } from '@shared/extensions/ui';
import { AnsiText } from '../../parts/ansi-text';
import { plural } from '../../state/format';
import { useLive, useSession } from '../../state/hooks';
import { Button, cx, Tooltip, VisuallyHidden } from '../../ui';
import styles from './extensions.module.css';
import { frameText, TerminalGrid } from './terminal-grid';
import { useTerminalSize } from './terminal-size';
import terminal from './terminal.module.css';
import { useComposerMirror } from './use-composer-mirror';

/** Lines of a widget in view; the others are one press away. */
const SHOWN_LINES = 6;

/** Lines that extensions show over the composer, or between it and the meter (EX16). */
export function ExtensionWidgets({ placement }: { placement: ExtensionWidget['placement'] }) {
  const widgets = useLive(useSession(), (live) => live.extensionShows.widgets);
  const here = widgets.filter((widget) => widget.placement === placement);
  if (here.length === 0) return null;
  return (
    <div className={cx(styles.widgets, placement === 'header' && styles.header)}>
      {here.map((widget) => (
        <Widget key={`${widget.extension.id} ${widget.key}`} widget={widget} />
      ))}
    </div>
  );
}

function Widget({ widget }: { widget: ExtensionWidget }) {
  const [isOpen, setOpen] = useState(false);
  const { extension, lines, more, frame } = widget;
  const name = visibleString(extension.name);
  if (frame)
    return (
      <section className={cx(styles.widget, terminal.still)} aria-label={`From the extension ${name}`}>
        <TerminalGrid frame={frame} />
        <VisuallyHidden>{frameText(frame)}</VisuallyHidden>
        <span className={styles.from}>{name}</span>
      </section>
    );
  const shown = isOpen ? lines : lines.slice(0, SHOWN_LINES);
  const hidden = lines.length - shown.length;
  return (
    <section className={styles.widget} aria-label={`From the extension ${name}`}>
      <pre className={cx(styles.lines, isOpen && styles.open)} {...(isOpen ? { tabIndex: 0 } : {})}>
        {shown.map((line, index) => (
          <div key={index}>{line === '' ? ' ' : <AnsiText text={line} />}</div>
        ))}
      </pre>
      <div className={styles.widgetFoot}>
        <span className={styles.from}>{name}</span>
        {(hidden > 0 || isOpen) && (
          <Button tone="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show less' : `${plural(hidden, 'more line')}`}
          </Button>
        )}
        {isOpen && more > 0 && <span className={styles.from}>{plural(more, 'line')} left out</span>}
      </div>
    </section>
  );
}

/** One line under the meter with what extensions say of themselves (EX16). */
export function ExtensionStatuses() {
  useComposerMirror();
  useTerminalSize();
  const statuses = useLive(useSession(), (live) => live.extensionShows.statuses);
  if (statuses.length === 0) return null;
  return (
    <ul className={styles.statuses} aria-label="Extensions">
      {statuses.map(({ extension, key, text }) => (
        <li key={`${extension.id} ${key}`}>
          <Tooltip text={`From the extension ${visibleString(extension.name)}`} side="top">
            <span className={styles.status} tabIndex={0}>
              <AnsiText text={text} />
            </span>
          </Tooltip>
        </li>
      ))}
    </ul>
  );
}

/** What an extension calls what goes on, beside the title of the session. */
export function ExtensionTitle() {
  const title = useLive(useSession(), (live) => live.extensionShows.title);
  if (title === null) return null;
  const shown = visibleString(title);
  return (
    <Tooltip text={`Set by an extension: ${shown}`}>
      <span className={styles.title} tabIndex={0} data-extension-title>
        <Puzzle size={12} aria-hidden /> <bdi>{shown}</bdi>
      </span>
    </Tooltip>
  );
}
