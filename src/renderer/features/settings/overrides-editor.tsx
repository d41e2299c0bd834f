import { useState } from 'react';
import { Plus, X } from 'lucide-react';
import { checkSetting } from '@shared/policy/check-setting';
import { OVERRIDE_KEYS, SETTINGS, type ContextOverride } from '@shared/settings';
import { Button, Field, IconButton } from '../../ui';
import { useSettings } from '../../state/hooks';
import { findModel } from '../../state/settings-store';
import { describeModel, ModelPopover, reserveWarning, splitModel } from './model-fields';
import { NumberField } from './typed-fields';
import { type Taken, useSetting } from './use-setting';
import styles from './settings.module.css';

type Name = keyof ContextOverride;
const NUMBERS = [
  ['thresholdPercent', 'Threshold (%)'],
  ['thresholdTokens', 'Threshold (tokens)'],
  ['reserveTokens', 'Reserve for the answer'],
  ['keepRecentTokens', 'Recent messages to keep'],
] as const satisfies readonly (readonly [Name, string])[];

/** Limits that hold for one model alone (TG1): a row a model, empty where the general limit holds. */
export function OverridesEditor() {
  const { value, problem, update } = useSetting('compaction.modelOverrides');
  // A model without a number yet is nothing to store, and one whose numbers were cleared does not vanish under the cursor.
  const [added, setAdded] = useState<readonly string[]>([]);
  const models = [...Object.keys(value), ...added.filter((model) => !(model in value))];

  function setNumber(model: string, name: Name, number: unknown): Taken {
    if (!added.includes(model)) setAdded([...added, model]);
    return update((all) => ({ ...all, [model]: { ...all[model], [name]: number } }));
  }
  function remove(model: string): void {
    setAdded(added.filter((other) => other !== model));
    update((all) => Object.fromEntries(Object.entries(all).filter(([other]) => other !== model)));
  }

  return (
    <div className={styles.overrides}>
      {models.length === 0 && <p className={styles.none}>No separate limits.</p>}
      {models.map((model) => (
        <ModelLimits
          key={model}
          model={model}
          override={value[model] ?? {}}
          onNumber={(name, number) => setNumber(model, name, number)}
          onRemove={() => remove(model)}
        />
      ))}
      {problem && (
        <p className={styles.missing} role="alert">
          {problem}
        </p>
      )}
      <ModelPopover
        label="Model to set limits for"
        current={null}
        onChoose={(model) => !models.includes(model) && setAdded([...added, model])}
        trigger={
          <Button size="small">
            <Plus size={13} aria-hidden /> Add a model
          </Button>
        }
      />
    </div>
  );
}

interface ModelLimitsProps {
  model: string;
  override: ContextOverride;
  onNumber: (name: Name, number: unknown) => Taken;
  onRemove: () => void;
}

function ModelLimits({ model, override, onNumber, onRemove }: ModelLimitsProps) {
  const providers = useSettings((state) => state.providers);
  const { name, provider, problem } = describeModel(providers, model);
  const ref = splitModel(model);
  const found = findModel(providers, ref);
  const tooLarge = found ? reserveWarning(override.reserveTokens ?? null, [found.model]) : undefined;
  return (
    <fieldset className={styles.override} aria-label={`Limits for ${name}`}>
      <div className={styles.overrideHead}>
        <b title={model}>{name}</b>
        <span>{problem === null ? provider : problem.replace(' It is skipped.', '')}</span>
        <IconButton label={`Remove the limits for ${name}`} size="small" onClick={onRemove}>
          <X size={13} />
        </IconButton>
      </div>
      <div className={styles.overrideNumbers}>
        {NUMBERS.map(([own, label]) => (
          <Limit
            key={own}
            own={own}
            label={label}
            value={override[own] ?? null}
            warning={own === 'reserveTokens' ? tooLarge : undefined}
            onTake={(n) => onNumber(own, n)}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface LimitProps {
  own: Name;
  label: string;
  value: number | null;
  /** It is taken, and does not do what it says. */
  warning: string | undefined;
  onTake: (value: unknown) => Taken;
}

/** One number, bound as the setting that it replaces. */
function Limit({ own, label, value, warning, onTake }: LimitProps) {
  const general = useSettings((state) => state.settings[OVERRIDE_KEYS[own]]);
  const [problem, setProblem] = useState<string | null>(null);
  function take(next: unknown): Taken {
    const checked = next === null ? null : checkSetting(OVERRIDE_KEYS[own], next);
    setProblem(checked && !checked.ok ? `Must be ${checked.bound ?? 'another number'}.` : null);
    return checked && !checked.ok ? 'refused' : onTake(next);
  }
  const { control } = SETTINGS[OVERRIDE_KEYS[own]];
  const unset = control.kind === 'integer' ? (control.unset ?? '') : '';
  return (
    <Field label={label} error={problem ?? undefined} warning={warning}>
      {(field) => (
        <NumberField
          control={field}
          value={value}
          onTake={take}
          placeholder={general === null ? unset : general.toLocaleString('en')}
        />
      )}
    </Field>
  );
}
