import { useEffect, useState } from 'react';
import { RotateCcw } from 'lucide-react';
import { checkSetting, SETTINGS, type SettingKey, type SettingSpec } from '@shared/settings';
import { Field, IconButton, Input, Select, Switch, TextArea, type FieldControl } from '../../ui';
import { toAppError } from '../../bridge';
import { useApp, useSettings } from '../../state/hooks';
import styles from './settings.module.css';

/** One setting as its spec says: control, default, reset. A bad value is refused with the reason and not kept. */
export function SettingRow({ name }: { name: SettingKey }) {
  const app = useApp();
  const spec = SETTINGS[name] as SettingSpec<unknown>;
  const value = useSettings((state) => state.settings[name]) as unknown;
  const [problem, setProblem] = useState<string | null>(null);
  const changed = JSON.stringify(value) !== JSON.stringify(spec.initial);

  function set(next: unknown): void {
    const checked = checkSetting(name, next);
    if (!checked.ok) return setProblem(checked.message);
    setProblem(null);
    app.client
      .request('settings.set', { key: name, value: checked.value })
      .catch((cause: unknown) => setProblem(toAppError(cause).message));
  }

  function reset(): void {
    setProblem(null);
    void app.attempt(() => app.client.request('settings.reset', { key: name }));
  }

  return (
    <Field row label={spec.label} hint={`${spec.help} ${defaultInWords(spec)}`} error={problem ?? undefined}>
      {(control) => (
        <div className={styles.control}>
          {changed && (
            <IconButton label={`Reset “${spec.label}” to its default`} size="small" onClick={reset}>
              <RotateCcw size={13} />
            </IconButton>
          )}
          <Control spec={spec} value={value} control={control} onChange={set} />
        </div>
      )}
    </Field>
  );
}

interface ControlProps {
  spec: SettingSpec<unknown>;
  value: unknown;
  control: FieldControl;
  onChange: (value: unknown) => void;
}

function Control({ spec, value, control, onChange }: ControlProps) {
  const kind = spec.control;
  switch (kind.kind) {
    case 'boolean':
      return <Switch {...control} checked={value === true} onChange={onChange} />;
    case 'choice':
      return (
        <Select
          label={spec.label}
          value={String(value)}
          options={kind.options.map((option) => ({ value: option, label: option }))}
          onChange={onChange}
        />
      );
    case 'integer':
      return (
        <span className={styles.number}>
          <TypedInput
            control={control}
            value={String(value)}
            onChange={(text) => onChange(/^-?\d+$/.test(text.trim()) ? Number(text) : text)}
            numeric
          />
          <span className={styles.unit}>{kind.unit}</span>
        </span>
      );
    case 'text':
      return <TypedInput control={control} value={String(value)} onChange={onChange} placeholder={kind.placeholder} />;
    case 'list':
      return <ListInput control={control} value={value as string[]} onChange={onChange} />;
  }
}

interface TypedInputProps {
  control: FieldControl;
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
  numeric?: boolean;
}

/** Keeps what is typed while it is not valid; follows the setting when it changes elsewhere. */
function TypedInput({ control, value, onChange, placeholder, numeric }: TypedInputProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <Input
      {...control}
      className={numeric ? styles.numeric : styles.text}
      inputMode={numeric ? 'numeric' : undefined}
      invalid={control['aria-invalid']}
      placeholder={placeholder}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onChange(event.target.value);
      }}
    />
  );
}

function ListInput({
  control,
  value,
  onChange,
}: {
  control: FieldControl;
  value: string[];
  onChange: (list: string[]) => void;
}) {
  const [text, setText] = useState(value.join('\n'));
  useEffect(() => setText(value.join('\n')), [value]);
  return (
    <TextArea
      {...control}
      className={styles.list}
      rows={4}
      spellCheck={false}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() =>
        onChange(
          text
            .split('\n')
            .map((line) => line.trim())
            .filter(Boolean),
        )
      }
    />
  );
}

function defaultInWords({ control, initial }: SettingSpec<unknown>): string {
  if (control.kind === 'boolean') return `Default: ${initial === true ? 'on' : 'off'}.`;
  if (control.kind === 'integer') return `Default ${Number(initial).toLocaleString('en')} ${control.unit}.`;
  if (control.kind === 'list' || initial === '') return 'Default: empty.';
  return `Default: ${String(initial)}.`;
}
