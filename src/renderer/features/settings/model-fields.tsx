import { type ReactNode, useState } from 'react';
import { ArrowDown, ArrowUp, ChevronDown, Plus, X } from 'lucide-react';
import { Command, useCommandState } from 'cmdk';
import { MODEL_NAME } from '@shared/settings';
import { compactionLimits } from '@shared/compaction/limits';
import { visibleString } from '@shared/policy/visible-text';
import type { ModelInfo, ModelRef, ProviderInfo } from '@shared/types';
import { ModelList } from '../../parts/model-list';
import { plural } from '../../state/format';
import { useSettings } from '../../state/hooks';
import { findModel } from '../../state/settings-store';
import { Button, type FieldControl, IconButton, Popover } from '../../ui';
import styles from './settings.module.css';
import type { Taken } from './use-setting';

interface ModelWords {
  name: string;
  provider: string;
  /** Why it can't be asked now, or null. */
  problem: string | null;
}

/** What to call a model that a setting names as `provider/model`, and whether it is still there. */
export function describeModel(providers: readonly ProviderInfo[], text: string): ModelWords {
  const ref = splitModel(text);
  if (!ref) return { name: text, provider: '', problem: null };
  const provider = providers.find(({ id }) => id === ref.provider);
  const found = findModel(providers, ref);
  const words = { name: found?.model.name ?? text, provider: provider?.name ?? ref.provider };
  // Until the providers are loaded only the demo is known.
  if (providers.length <= 1) return { ...words, problem: null };
  if (!found) return { ...words, problem: 'No longer available. It is skipped.' };
  if (!found.provider.available)
    return { ...words, problem: `${found.provider.name} isn’t available now. It is skipped.` };
  return { ...words, problem: null };
}

/** Split at the first slash; null if that gives no model. */
export function splitModel(text: string): ModelRef | null {
  const slash = text.indexOf('/');
  return slash > 0 && slash < text.length - 1
    ? { provider: text.slice(0, slash), modelId: text.slice(slash + 1) }
    : null;
}

/**
 * That a reserve takes a whole window, so that another one holds (TG2); undefined: it takes none.
 * @param reserve tokens; null: nothing was set
 * @param models those that it is for
 */
export function reserveWarning(reserve: number | null, models: readonly ModelInfo[]): string | undefined {
  if (reserve === null) return undefined;
  const limits = models.map((model) => {
    const window = Math.min(model.contextWindow, model.learnedWindow?.tokens ?? Infinity);
    return { model, ...compactionLimits({ reserveTokens: reserve }, '', window) };
  });
  const [first, ...others] = limits.filter(({ isReserveTooLarge }) => isReserveTooLarge);
  if (!first) return undefined;
  const more = others.length > 0 ? ` The same goes for ${plural(others.length, 'other model')}.` : '';
  const [window, taken] = [first.window ?? 0, first.reserve ?? 0].map((tokens) => tokens.toLocaleString('en'));
  return `Not below the context window of ${visibleString(first.model.name)} (${window} tokens): ${taken}, 15% of it, are kept free there.${more}`;
}

interface ModelFieldProps {
  control: FieldControl;
  label: string;
  /** `provider/model`, or empty. */
  value: string;
  /** What empty stands for. */
  unset: string;
  onTake: (value: unknown) => Taken;
}

/** One model, chosen from those that can be asked or typed by its full name. */
export function ModelField({ control, label, value, unset, onTake }: ModelFieldProps) {
  const providers = useSettings((state) => state.providers);
  const { name, problem } = describeModel(providers, value);
  const shown = value === '' ? capital(unset) : name;
  return (
    <div className={styles.modelField}>
      <ModelPopover
        label={label}
        current={splitModel(value)}
        onChoose={onTake}
        unset={unset}
        trigger={
          <Button
            id={control.id}
            aria-describedby={control['aria-describedby']}
            aria-label={`${label}: ${shown}`}
            title={value || undefined}
          >
            <span className={styles.modelName}>{shown}</span> <ChevronDown size={13} aria-hidden />
          </Button>
        }
      />
      {problem && <p className={styles.missing}>{problem}</p>}
    </div>
  );
}

interface ModelsFieldProps {
  control: FieldControl;
  label: string;
  value: readonly string[];
  onTake: (value: unknown) => Taken;
}

/** Several models in the order in which they are tried. */
export function ModelsField({ control, label, value, onTake }: ModelsFieldProps) {
  const providers = useSettings((state) => state.providers);
  const move = (at: number, by: number): void => {
    const next = [...value];
    next.splice(at + by, 0, ...next.splice(at, 1));
    onTake(next);
  };
  return (
    <div className={styles.modelField}>
      {value.length > 0 && (
        <ol className={styles.order} aria-label={label}>
          {value.map((text, at) => {
            const { name, provider, problem } = describeModel(providers, text);
            return (
              <li key={text}>
                <span className={styles.orderName} title={text}>
                  {name} <small>{problem ?? provider}</small>
                </span>
                <IconButton label={`Move ${name} up`} size="small" disabled={at === 0} onClick={() => move(at, -1)}>
                  <ArrowUp size={13} />
                </IconButton>
                <IconButton
                  label={`Move ${name} down`}
                  size="small"
                  disabled={at === value.length - 1}
                  onClick={() => move(at, 1)}
                >
                  <ArrowDown size={13} />
                </IconButton>
                <IconButton
                  label={`Remove ${name}`}
                  size="small"
                  onClick={() => onTake(value.filter((other) => other !== text))}
                >
                  <X size={13} />
                </IconButton>
              </li>
            );
          })}
        </ol>
      )}
      <ModelPopover
        label={label}
        current={null}
        onChoose={(text) => onTake([...value, text])}
        trigger={
          <Button id={control.id} size="small" aria-label={`${label}: add a model`}>
            <Plus size={13} aria-hidden /> Add a model
          </Button>
        }
      />
    </div>
  );
}

interface ModelPopoverProps {
  label: string;
  current: ModelRef | null;
  onChoose: (text: string) => void;
  /** What choosing none stands for; without it none can't be chosen. */
  unset?: string;
  trigger: ReactNode;
}

/** The models that can be asked, and whatever else is typed as `provider/model`. */
export function ModelPopover({ label, current, onChoose, unset, trigger }: ModelPopoverProps) {
  const [open, setOpen] = useState(false);
  const providers = useSettings((state) => state.providers);
  function choose(text: string): void {
    setOpen(false);
    onChoose(text);
  }
  return (
    <Popover
      label={label}
      open={open}
      onOpenChange={setOpen}
      align="end"
      className={styles.modelPopover}
      trigger={trigger}
    >
      <ModelList
        providers={providers}
        current={current}
        onChoose={({ provider, modelId }) => choose(`${provider}/${modelId}`)}
      >
        <TypedModel onChoose={choose} />
        {unset !== undefined && (
          <Command.Group heading="Default">
            <Command.Item value={unset} className={styles.typedModel} onSelect={() => choose('')}>
              {capital(unset)}
            </Command.Item>
          </Command.Group>
        )}
      </ModelList>
    </Popover>
  );
}

/** Offers what is in the search field, once it is a full name: a model may be set before its provider is. */
function TypedModel({ onChoose }: { onChoose: (text: string) => void }) {
  const search = useCommandState((state) => state.search).trim();
  if (!MODEL_NAME.test(search))
    return (
      <p role="presentation" className={styles.typeHint}>
        Not listed? Type it as provider/model.
      </p>
    );
  return (
    <Command.Group forceMount>
      <Command.Item
        forceMount
        value={`typed ${search}`}
        className={styles.typedModel}
        onSelect={() => onChoose(search)}
      >
        Use “{search}”
      </Command.Item>
    </Command.Group>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
