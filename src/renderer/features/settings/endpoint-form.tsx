import { useEffect, useState } from 'react';
import { Button, Field, Input, Notice, Select, Spinner, TextArea } from '../../ui';
import { toAppError } from '../../bridge';
import { useApp, useSettings } from '../../state/hooks';
import { draftOf, EMPTY_ENDPOINT, emptyModel, fieldsOf, type EndpointFields } from './endpoint-draft';
import { KeepChoice, type Keep } from './keep-choice';
import { ModelRows } from './model-rows';
import styles from './settings.module.css';

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
  onDone: () => void;
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
      onDone();
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
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}

/** Puts a model that the endpoint offers into the first empty row, else into a new one. */
function addModel(fields: EndpointFields, id: string): EndpointFields['models'] {
  const kept = fields.models.filter((model) => model.id.trim() !== '');
  return [...kept, emptyModel(id)];
}
