import { type ReactNode, useState } from 'react';
import { RotateCcw } from 'lucide-react';
import { own } from '@shared/checks';
import { SETTING_KEYS, type SettingKey, SETTINGS, type SettingSpec } from '@shared/settings';
import { useSettings } from '../../state/hooks';
import { FORCED_OFF } from '../../state/settings-store';
import { Field, type FieldControl, IconButton, Notice, Select, Switch } from '../../ui';
import { ModelField, ModelsField, reserveWarning } from './model-fields';
import styles from './settings.module.css';
import { ListField, NumberField, TextField } from './typed-fields';
import { type Taken, useSetting } from './use-setting';

/** One setting as its spec says: control, default, reset. A bad value is refused with the reason and stays to be mended. */
export function SettingRow({ name }: { name: SettingKey }) {
  const spec = SETTINGS[name] as SettingSpec<unknown>;
  const { value, problem, isChanged, set, reset } = useSetting(name);
  const warning = useWarning(name, value);
  // A reset clears what was typed as well.
  const [resets, setResets] = useState(0);
  const isForced = useSettings((state) => state.autoCompactionForcedOff) && name === 'compaction.enabled';
  if (isForced)
    return (
      <Field row label={spec.label} hint={FORCED_OFF}>
        {(control) => <Switch {...control} checked={false} disabled onChange={() => undefined} />}
      </Field>
    );
  return (
    <Field
      row
      label={spec.label}
      hint={`${spec.help} ${defaultInWords(spec)}`.trim()}
      error={problem ?? undefined}
      warning={warning}
    >
      {(control) => (
        <div className={styles.control}>
          {(isChanged || problem !== null) && (
            <IconButton
              label={`Reset “${spec.label}” to its default`}
              size="small"
              onClick={() => {
                setResets(resets + 1);
                reset();
              }}
            >
              <RotateCcw size={13} />
            </IconButton>
          )}
          <Control key={resets} spec={spec} value={value} control={control} onTake={set} />
        </div>
      )}
    </Field>
  );
}

/** What a value that was taken does not do for models that can be asked now. */
function useWarning(name: SettingKey, value: unknown): string | undefined {
  const providers = useSettings((state) => state.providers);
  const overrides = useSettings((state) => state.settings['compaction.modelOverrides']);
  if (name !== 'compaction.reserveTokens' || typeof value !== 'number') return undefined;
  const models = providers
    .filter(({ available, kind }) => available && kind !== 'demo')
    .flatMap((provider) => provider.models)
    // Of a model with a reserve of its own this one says nothing.
    .filter((model) => own(overrides, `${model.provider}/${model.modelId}`)?.reserveTokens === undefined);
  return reserveWarning(value, models);
}

interface ControlProps {
  spec: SettingSpec<unknown>;
  value: unknown;
  control: FieldControl;
  onTake: (value: unknown) => Taken;
}

function Control({ spec, value, control, onTake }: ControlProps) {
  const kind = spec.control;
  switch (kind.kind) {
    case 'boolean':
      return <Switch {...control} checked={value === true} onChange={onTake} />;
    case 'choice':
      return (
        <Select
          label={spec.label}
          value={String(value)}
          options={kind.options.map((option) => ({ value: option, label: kind.words?.[option] ?? option }))}
          onChange={onTake}
        />
      );
    case 'integer':
      return (
        <span className={styles.number}>
          <NumberField control={control} value={value as number | null} onTake={onTake} placeholder={kind.unset} />
          <span className={styles.unit}>{kind.unit}</span>
        </span>
      );
    case 'text':
      return <TextField control={control} value={String(value)} onTake={onTake} placeholder={kind.placeholder} />;
    case 'endpoint':
    case 'proxy':
      return <TextField control={control} value={String(value)} onTake={onTake} placeholder={kind.placeholder} code />;
    case 'list':
      return <ListField control={control} value={value as string[]} onTake={onTake} />;
    case 'model':
      return (
        <ModelField control={control} label={spec.label} value={String(value)} unset={kind.unset} onTake={onTake} />
      );
    case 'models':
      return <ModelsField control={control} label={spec.label} value={value as string[]} onTake={onTake} />;
    case 'overrides':
    case 'shortcuts':
      // Too much for a row: it has a section of its own.
      return null;
  }
}

function defaultInWords({ control, initial }: SettingSpec<unknown>): string {
  if (control.kind === 'boolean') return `Default: ${initial === true ? 'on' : 'off'}.`;
  // What an empty field stands for is said in the field and in the help.
  if (initial === null) return 'Default: empty.';
  if (control.kind === 'integer') return `Default: ${Number(initial).toLocaleString('en')} ${control.unit}.`;
  if (control.kind === 'choice') return `Default: ${control.words?.[String(initial)] ?? String(initial)}.`;
  if (control.kind === 'model') return `Default: ${control.unset}.`;
  if (control.kind === 'models') return 'Default: none.';
  if (control.kind === 'endpoint' || control.kind === 'proxy') return 'Default: none.';
  if (Array.isArray(initial) && initial.length > 0) return `Default: ${initial.join(', ')}.`;
  return initial === '' || Array.isArray(initial) ? 'Default: empty.' : `Default: ${String(initial)}.`;
}

/** One page of the settings with its title; values that were refused at start are said here. */
export function Pane({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  const problems = useSettings((state) => state.problems);
  return (
    <div className={styles.pane}>
      <h2 className={styles.title}>{title}</h2>
      {lead && <p className={styles.lead}>{lead}</p>}
      {problems.length > 0 && (
        <Notice level="warning" title="Some saved settings are not valid, so their defaults are used">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Notice>
      )}
      {children}
    </div>
  );
}

/** All settings of a group, or some, in the order of the schema. */
export function GroupRows({
  group,
  except = [],
  only,
}: {
  group: SettingSpec<unknown>['group'];
  except?: readonly string[];
  only?: readonly string[];
}) {
  const keys = SETTING_KEYS.filter(
    (key) => SETTINGS[key].group === group && !except.includes(key) && (only?.includes(key) ?? true),
  );
  return (
    <div className={styles.rows}>
      {keys.map((key) => (
        <SettingRow key={key} name={key} />
      ))}
    </div>
  );
}
