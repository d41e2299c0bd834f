import { Fragment, useEffect, useMemo, useState } from 'react';
import { Plus, X } from 'lucide-react';
import { type FindKnown, findKnownIn } from '@shared/known-models';
import type { EndpointDraft, ModelInfo } from '@shared/types';
import { toAppError } from '../../bridge';
import { useApp, useSettings } from '../../state/hooks';
import { formatTokens } from '../../state/format';
import { Button, Field, IconButton, Input, Notice, Select, Spinner, TextArea } from '../../ui';
import { draftOf, EMPTY_ENDPOINT, emptyModel, type EndpointFields, fieldsOf, type ModelFields } from './endpoint-draft';
import { type Keep, KeepChoice } from './key-form';
import styles from './settings.module.css';

interface ModelRowsProps {
  models: readonly ModelFields[];
  /** The row whose context window takes the focus when this comes. */
  rowInFocus: number | null;
  onChange: (models: ModelFields[]) => void;
}

/** The models of an endpoint: name, window, longest answer, what they can do. */
function ModelRows({ models, rowInFocus, onChange }: ModelRowsProps) {
  const findKnown = useKnown();
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
        <Fragment key={at}>
          <div className={styles.modelRow}>
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
              placeholder={findKnown(model.id)?.contextWindow.toString() ?? 'unknown'}
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
          <KnownFigures model={model} known={findKnown(model.id)} />
        </Fragment>
      ))}
      <Button size="small" onClick={() => onChange([...models, emptyModel()])}>
        <Plus size={13} aria-hidden /> Add a model
      </Button>
    </div>
  );
}

/** What is known of models by their ids (MT3), as main takes it over. */
function useKnown(): FindKnown<ModelInfo> {
  const providers = useSettings((state) => state.providers);
  return useMemo(() => {
    const known = providers.filter(({ kind }) => kind === 'builtin').flatMap(({ models }) => models);
    return findKnownIn(known, ({ modelId }) => modelId);
  }, [providers]);
}

/** What a known id brings to the model, in words: the person entered less than what is used. */
function KnownFigures({ model, known }: { model: ModelFields; known: ModelInfo | undefined }) {
  if (!known) return null;
  const isOpen = model.contextWindow.trim() === '';
  const brings = [
    isOpen && `a window of ${formatTokens(known.contextWindow)} tokens`,
    isOpen && known.images && !model.images && 'images',
    'its maker’s prices',
  ].filter((part) => part !== false);
  return (
    <p className={styles.lineHint}>
      Known model: {new Intl.ListFormat('en').format(brings)}.{' '}
      {isOpen && 'Enter a window to set window and images yourself.'}
    </p>
  );
}

/** One function for all: React calls it once for a row, whatever is typed there. */
function takeFocus(input: HTMLInputElement | null): void {
  input?.focus();
}

const APIS = [
  { value: 'openai-completions', label: 'OpenAI chat completions' },
  { value: 'openai-responses', label: 'OpenAI responses' },
  { value: 'anthropic-messages', label: 'Anthropic messages' },
];

type Outcome = { ok: boolean; text: string; models: string[] } | null;

interface EndpointFormProps {
  endpointId: string | null;
  /** The model whose context window has the focus once the endpoint is loaded. */
  windowOf?: string | null;
  /** `saved`: the endpoint as it was saved; absent: it was not. */
  onDone: (saved?: EndpointDraft) => void;
}

/** Adds or edits an endpoint of one's own; Test sends one small request to it before anything is saved. */
export function EndpointForm({ endpointId, windowOf = null, onDone }: EndpointFormProps) {
  const app = useApp();
  const keyring = useSettings((state) => state.keyring);
  const [fields, setFields] = useState<EndpointFields>(EMPTY_ENDPOINT);
  const [key, setKey] = useState('');
  const [keep, setKeep] = useState<Keep | null>(keyring === 'available' ? 'encrypted' : 'session');
  const [outcome, setOutcome] = useState<Outcome>(null);
  const [busy, setBusy] = useState(false);
  const [rowInFocus, setRowInFocus] = useState<number | null>(null);
  const set = (patch: Partial<EndpointFields>): void => setFields((held) => ({ ...held, ...patch }));

  useEffect(() => {
    if (endpointId === null) return;
    app.client.request('endpoints.get', { endpointId }).then(
      ({ endpoint }) => {
        if (!endpoint) return;
        setFields(fieldsOf(endpoint));
        if (windowOf !== null) setRowInFocus(endpoint.models.findIndex((model) => model.id === windowOf));
      },
      (cause: unknown) => setOutcome({ ok: false, text: toAppError(cause).message, models: [] }),
    );
  }, [app, endpointId, windowOf]);

  async function attempt(task: () => Promise<Outcome>): Promise<void> {
    setBusy(true);
    try {
      setOutcome(await task());
    } catch (cause) {
      setOutcome({ ok: false, text: toAppError(cause).message, models: [] });
    }
    setBusy(false);
  }

  function check(needsModels: boolean): ReturnType<typeof draftOf> {
    const checked = draftOf(fields, app.now(), needsModels);
    if (!checked.ok) setOutcome({ ok: false, text: checked.problem, models: [] });
    return checked;
  }

  function test(): void {
    const checked = check(false);
    if (!checked.ok) return;
    void attempt(async () => {
      const params = { endpoint: checked.draft, ...(key.trim() ? { key: key.trim() } : {}) };
      const { ok, message, models } = await app.client.request('endpoints.test', params);
      return { ok, text: message, models };
    });
  }

  function save(): void {
    const checked = check(true);
    if (!checked.ok) return;
    void attempt(async () => {
      const withKey = key.trim() && keep ? { key: { key: key.trim(), keep } } : {};
      await app.client.request('endpoints.save', { endpoint: checked.draft, ...withKey });
      onDone(checked.draft);
      return null;
    });
  }

  const known = new Set(fields.models.map((model) => model.id));
  const offered = outcome?.models.filter((id) => !known.has(id)) ?? [];
  return (
    <form
      className={styles.form}
      aria-label={endpointId === null ? 'New endpoint' : `Edit ${fields.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <div className={styles.two}>
        <Field label="Name">
          {(control) => (
            <Input {...control} autoFocus value={fields.name} onChange={(event) => set({ name: event.target.value })} />
          )}
        </Field>
        <Field label="API">
          {() => (
            <Select
              label="API"
              value={fields.api}
              options={APIS}
              onChange={(api) => set({ api: api as EndpointFields['api'] })}
            />
          )}
        </Field>
      </div>
      <Field label="Base URL" hint="Include the version, but not the path of the request: https://host/v1">
        {(control) => (
          <Input
            {...control}
            inputMode="url"
            spellCheck={false}
            value={fields.baseUrl}
            onChange={(event) => set({ baseUrl: event.target.value })}
          />
        )}
      </Field>
      <div className={styles.two}>
        <Field
          label="Key"
          hint={endpointId === null ? 'Leave empty if none is needed.' : 'Leave empty to keep the current key.'}
        >
          {(control) => (
            <Input
              {...control}
              type="password"
              autoComplete="off"
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <Field label="Headers" hint="One “Name: value” per line. Secret values are stored like keys.">
          {(control) => (
            <TextArea
              {...control}
              rows={2}
              spellCheck={false}
              value={fields.headers}
              onChange={(event) => set({ headers: event.target.value })}
            />
          )}
        </Field>
      </div>
      {key.trim() !== '' && keyring === 'unavailable' && <KeepChoice onChange={setKeep} />}
      <ModelRows models={fields.models} rowInFocus={rowInFocus} onChange={(models) => set({ models })} />
      {outcome && (
        <Notice level={outcome.ok ? 'success' : 'error'}>
          {outcome.text}
          {offered.length > 0 && (
            <span className={styles.offered}>
              {offered.slice(0, 20).map((id) => (
                <Button key={id} size="small" onClick={() => set({ models: addModel(fields, id) })}>
                  + {id}
                </Button>
              ))}
            </span>
          )}
        </Notice>
      )}
      <div className={styles.formActions}>
        <Button type="submit" tone="primary" disabled={busy || (key.trim() !== '' && !keep)}>
          Save endpoint
        </Button>
        <Button disabled={busy} onClick={test}>
          {busy && <Spinner />} Test
        </Button>
        <Button onClick={() => onDone()}>Cancel</Button>
      </div>
    </form>
  );
}

/** Puts a model that the endpoint offers into the first empty row, else into a new one. */
function addModel(fields: EndpointFields, id: string): EndpointFields['models'] {
  const kept = fields.models.filter((model) => model.id.trim() !== '');
  return [...kept, emptyModel(id)];
}
