import type { ReactNode } from 'react';
import { Check } from 'lucide-react';
import { Command } from 'cmdk';
import type { ModelInfo, ModelRef, ProviderInfo } from '@shared/types';
import { visibleString } from '@shared/policy/visible-text';
import { formatTokens } from '../state/format';
import styles from './model-list.module.css';

interface ModelListProps {
  providers: readonly ProviderInfo[];
  current: ModelRef | null;
  onChoose: (model: ModelInfo) => void;
  /** Groups below the usable models, inside the same search. */
  children?: ReactNode;
}

/** Every usable model in one searchable list, by provider, with its window and price. */
export function ModelList({ providers, current, onChoose, children }: ModelListProps) {
  return (
    <Command label="Models" loop className={styles.command} defaultValue={current ? valueOf(current) : undefined}>
      <Command.Input className={styles.search} placeholder="Search models" autoFocus />
      <Command.List className={styles.list} label="Models">
        <Command.Empty className={styles.empty}>No matching model.</Command.Empty>
        {providers.filter(isUsable).map((provider) => (
          <Command.Group key={provider.id} heading={headingOf(provider)}>
            {provider.models.map((model) => (
              <ModelRow
                key={valueOf(model)}
                model={model}
                provider={provider}
                chosen={current !== null && valueOf(model) === valueOf(current)}
                onChoose={() => onChoose(model)}
              />
            ))}
          </Command.Group>
        ))}
        {children}
      </Command.List>
    </Command>
  );
}

/** A provider whose models can be asked now. */
export function isUsable(provider: ProviderInfo): boolean {
  return provider.available && provider.models.length > 0;
}

interface ModelRowProps {
  model: ModelInfo;
  provider: ProviderInfo;
  chosen: boolean;
  onChoose: () => void;
}

function ModelRow({ model, provider, chosen, onChoose }: ModelRowProps) {
  return (
    <Command.Item
      value={valueOf(model)}
      keywords={[model.name, provider.name]}
      onSelect={onChoose}
      className={styles.item}
    >
      <span className={styles.check}>{chosen && <Check size={14} aria-label="chosen" />}</span>
      <span className={styles.name}>{visibleString(model.name)}</span>
      <span className={styles.facts}>
        {model.contextWindow > 0 ? formatTokens(model.contextWindow) : 'window unknown'}
      </span>
      <span className={styles.price}>{priceOf(model, provider)}</span>
    </Command.Item>
  );
}

function valueOf(model: ModelRef): string {
  return `${model.provider}/${model.modelId}`;
}

function headingOf(provider: ProviderInfo): string {
  if (provider.extension !== undefined) {
    const gets = provider.givesKey ? ', which gets its key' : '';
    return `${visibleString(provider.name)}: from the extension ${visibleString(provider.extension)}${gets}`;
  }
  if (provider.kind === 'demo') return `${provider.name}: scripted, works offline`;
  return provider.kind === 'local' ? `${provider.name}: on this computer` : provider.name;
}

/** Dollars per million tokens, input and output; empty where nothing is known about it. */
function priceOf({ cost }: ModelInfo, { kind }: ProviderInfo): string {
  if (cost.input > 0 || cost.output > 0) return `$${cost.input} / $${cost.output}`;
  return kind === 'demo' || kind === 'local' ? 'free' : '';
}
