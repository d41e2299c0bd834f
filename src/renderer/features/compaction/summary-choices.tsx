import { useEffect, useState } from 'react';
import { ChevronDown } from 'lucide-react';
import type { SummaryModel } from '@shared/compaction/preview';
import { visibleString } from '@shared/policy/visible-text';
import type { ModelRef } from '@shared/types';
import { ModelList } from '../../parts/model-list';
import { useApp, useSettings } from '../../state/hooks';
import { recentInstructions } from '../../state/ui-memory';
import { Button, Popover, TextArea } from '../../ui';
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

interface InstructionsBoxProps {
  value: string;
  onChange: (value: string) => void;
}

/** What the summary should look at in particular; what was asked for lately is one click away. */
export function InstructionsBox({ value, onChange }: InstructionsBoxProps) {
  const { local } = useApp();
  const [recent, setRecent] = useState<readonly string[]>([]);
  useEffect(() => {
    let isWanted = true;
    void recentInstructions(local).then((list) => isWanted && setRecent(list));
    return () => {
      isWanted = false;
    };
  }, [local]);
  const offered = recent.filter((text) => text !== value);
  return (
    <>
      <TextArea
        className={styles.instructions}
        value={value}
        rows={2}
        maxLength={50_000}
        placeholder="Focus on (optional)"
        aria-label="Focus on"
        onChange={(event) => onChange(event.target.value)}
      />
      {offered.length > 0 && (
        <ul className={styles.chips} aria-label="Recent">
          {offered.map((text) => (
            <li key={text}>
              <button type="button" className={styles.chip} title={text} onClick={() => onChange(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
