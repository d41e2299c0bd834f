import { Plus, X } from 'lucide-react';
import { Button, IconButton, Input } from '../../ui';
import { emptyModel, type ModelFields } from './endpoint-draft';
import styles from './settings.module.css';

interface ModelRowsProps {
  models: readonly ModelFields[];
  /** The row whose context window takes the focus when this comes. */
  rowInFocus: number | null;
  onChange: (models: ModelFields[]) => void;
}

/** The models of an endpoint: name, window, longest answer, what they can do. */
export function ModelRows({ models, rowInFocus, onChange }: ModelRowsProps) {
  const set = (at: number, patch: Partial<ModelFields>): void =>
    onChange(models.map((model, index) => (index === at ? { ...model, ...patch } : model)));
  return (
    <div className={styles.models} role="group" aria-label="Models">
      <div className={styles.modelHead} aria-hidden>
        <span>Model</span>
        <span>Context window</span>
        <span>Output limit</span>
      </div>
      {models.map((model, at) => (
        <div key={at} className={styles.modelRow}>
          <Input
            aria-label="Model name"
            spellCheck={false}
            value={model.id}
            onChange={(event) => set(at, { id: event.target.value })}
          />
          <Input
            ref={at === rowInFocus ? takeFocus : undefined}
            aria-label="Context window in tokens"
            inputMode="numeric"
            placeholder="unknown"
            value={model.contextWindow}
            onChange={(event) => set(at, { contextWindow: event.target.value })}
          />
          <Input
            aria-label="Output limit in tokens"
            inputMode="numeric"
            value={model.maxTokens}
            onChange={(event) => set(at, { maxTokens: event.target.value })}
          />
          <label className={styles.flag}>
            <input
              type="checkbox"
              checked={model.images}
              onChange={(event) => set(at, { images: event.target.checked })}
            />{' '}
            images
          </label>
          <label className={styles.flag}>
            <input
              type="checkbox"
              checked={model.reasoning}
              onChange={(event) => set(at, { reasoning: event.target.checked })}
            />{' '}
            thinking
          </label>
          {models.length > 1 && (
            <IconButton
              label={`Remove ${model.id || 'this model'}`}
              size="small"
              onClick={() => onChange(models.filter((_, index) => index !== at))}
            >
              <X size={13} />
            </IconButton>
          )}
        </div>
      ))}
      <Button size="small" onClick={() => onChange([...models, emptyModel()])}>
        <Plus size={13} aria-hidden /> Add a model
      </Button>
    </div>
  );
}

/** One function for all: React calls it once for a row, whatever is typed there. */
function takeFocus(input: HTMLInputElement | null): void {
  input?.focus();
}
