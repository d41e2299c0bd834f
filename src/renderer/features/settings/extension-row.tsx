import { useEffect, useId, useRef, useState } from 'react';
import { ChevronRight } from 'lucide-react';
import type { ExtensionFault, ExtensionMode, ExtensionState, ExtensionView } from '@shared/extensions/view';
import { visibleString } from '@shared/policy/visible-text';
import { formatAgo, formatPath, plural } from '../../state/format';
import { useApp, useSettings } from '../../state/hooks';
import { Button, Chip, type ChipTone, Field, Notice, Select, Switch, Visible, VisibleBlock } from '../../ui';
import styles from './extensions.module.css';

const STATES: Record<ExtensionState, [ChipTone, string]> = {
  starting: ['neutral', 'starting'],
  running: ['leaf', 'running'],
  off: ['neutral', 'off'],
  failed: ['red', 'failed'],
  resting: ['amber', 'stopped'],
};

const MODES: Record<ExtensionMode, string> = { tui: 'as in a terminal', rpc: 'without a terminal' };

/** One extension: its switch, how it fares, and all that is known of it one press away. */
export function ExtensionRow({ extension }: { extension: ExtensionView }) {
  const app = useApp();
  const { id, name, enabled, state, errors, tools, commands, origin } = extension;
  const [isOpen, setOpen] = useState(() => app.ui.getState().extensionToShow === id);
  const row = useRef<HTMLLIElement>(null);
  const detailsId = useId();
  useEffect(() => {
    if (app.ui.getState().extensionToShow !== id) return;
    app.ui.setState({ extensionToShow: null });
    row.current?.scrollIntoView({ block: 'nearest' });
  }, [app, id]);
  const [tone, word] = STATES[state];
  const shown = visibleString(name);
  const counts = [
    ...(tools.length > 0 ? [plural(tools.length, 'tool')] : []),
    ...(commands.length > 0 ? [plural(commands.length, 'command')] : []),
    ...(errors.length > 0 ? [plural(errors.length, 'error')] : []),
  ];
  return (
    <li ref={row} className={styles.row} data-extension={id}>
      <div className={styles.head}>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen}
          aria-controls={detailsId}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight size={14} aria-hidden className={styles.chevron} />
          <b>{shown}</b>
          <Chip tone={tone}>{word}</Chip>
          <span className={styles.facts}>{[visibleString(origin), ...counts].join(' · ')}</span>
        </button>
        <Switch
          label={`Use ${shown}`}
          checked={enabled}
          onChange={(on) => void app.ask('extensions.setEnabled', { extensionId: id, enabled: on })}
        />
      </div>
      {isOpen && <Details id={detailsId} extension={extension} />}
    </li>
  );
}

function Details({ id, extension }: { id: string; extension: ExtensionView }) {
  const app = useApp();
  const home = useSettings((state) => state.home);
  const { id: extensionId, path, problem, errors, tools, commands, used, mode, enabled } = extension;
  const providers = useSettings((state) => state.providers);
  const keysOf = providers.filter((provider) => provider.givesKey && provider.extension === extension.name);
  return (
    <div id={id} className={styles.details}>
      <code className={styles.path}>
        <Visible text={formatPath(path, home)} place="path" />
      </code>
      {problem !== undefined && <Notice level="error">{visibleString(problem)}</Notice>}
      {errors.length > 0 && <Faults faults={errors} />}
      <dl className={styles.names}>
        <Names title="Tools" names={tools} none="none" />
        <Names title="Commands" names={commands.map((name) => `/${name}`)} none="none" />
        <Names title="Has used" names={used} none="nothing yet" />
        {keysOf.length > 0 && <Names title="Gets the key of" names={keysOf.map(({ name }) => name)} none="none" />}
      </dl>
      <Field
        row
        label="Runs"
        hint="Some extensions draw like a terminal program, and do something simpler if told that they can’t."
      >
        {() => (
          <Select
            label="Runs"
            value={mode}
            options={Object.entries(MODES).map(([value, label]) => ({ value, label }))}
            onChange={(value) => void app.ask('extensions.setMode', { extensionId, mode: value as ExtensionMode })}
          />
        )}
      </Field>
      <div className={styles.actions}>
        <Button size="small" disabled={!enabled} onClick={() => void app.ask('extensions.reload', { extensionId })}>
          Reload
        </Button>
        <Button size="small" onClick={() => void app.ask('extensions.openFolder', { extensionId })}>
          Show in folder
        </Button>
      </div>
    </div>
  );
}

function Names({ title, names, none }: { title: string; names: readonly string[]; none: string }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {names.length === 0 ? (
          <span className={styles.noNames}>{none}</span>
        ) : (
          names.map((name) => <code key={name}>{visibleString(name)}</code>)
        )}
      </dd>
    </>
  );
}

/** What went wrong in it, newest first. */
function Faults({ faults }: { faults: readonly ExtensionFault[] }) {
  const app = useApp();
  return (
    <ul className={styles.faults} aria-label="Errors">
      {faults.map(({ event, error, stack, at, count }, index) => (
        <li key={index}>
          <div className={styles.faultHead}>
            <code>{visibleString(event)}</code>
            <span className={styles.when}>
              {formatAgo(at, app.now())}
              {count > 1 && ` · ${count}×`}
            </span>
          </div>
          <div className={styles.error}>
            <VisibleBlock text={error} />
          </div>
          {stack !== undefined && (
            <details className={styles.stack}>
              <summary>Stack</summary>
              <pre tabIndex={0}>
                <VisibleBlock text={stack} />
              </pre>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
