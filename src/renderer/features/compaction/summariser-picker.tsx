import { useState } from 'react';
import { ChevronDown } from 'lucide-react';
import type { SummaryModel } from '@shared/compaction/preview';
import type { ModelRef } from '@shared/types';
import { visibleString } from '@shared/policy/visible-text';
import { Button, Popover } from '../../ui';
import { ModelList } from '../../parts/model-list';
import { useSettings } from '../../state/hooks';
import styles from './compaction.module.css';

interface SummariserPickerProps {
  models: readonly SummaryModel[];
  chosen: SummaryModel | undefined;
  onChoose: (model: ModelRef) => void;
}

/** Which model writes the summary. */
export function SummariserPicker({ models, chosen, onChoose }: SummariserPickerProps) {
  const [open, setOpen] = useState(false);
  const all = useSettings((state) => state.providers);
  const usable = new Set(models.map(keyOf));
  const providers = all.map((provider) => ({
    ...provider,
    models: provider.models.filter((model) => usable.has(keyOf(model))),
  }));
  const name = chosen ? visibleString(chosen.name) : 'No model';
  return (
    <Popover
      label="Choose the model that writes the summary"
      open={open}
      onOpenChange={setOpen}
      side="top"
      align="end"
      className={styles.models}
      trigger={
        <Button tone="quiet" className={styles.model} aria-label={`Written by: ${name}`} disabled={models.length === 0}>
          <span>{name}</span>
          <ChevronDown size={13} aria-hidden />
        </Button>
      }
    >
      <ModelList
        providers={providers}
        current={chosen ?? null}
        onChoose={({ provider, modelId }) => {
          setOpen(false);
          onChoose({ provider, modelId });
        }}
      />
    </Popover>
  );
}

export function keyOf({ provider, modelId }: ModelRef): string {
  return `${provider}/${modelId}`;
}
