import { type FormEvent, useState } from 'react';
import type { McpEntry } from '@shared/mcp';
import { toAppError } from '../../bridge';
import { useApp } from '../../state/hooks';
import { Button, cx, Field, Input, Select, TextArea } from '../../ui';
import { ownEscape } from './key-form';
import settings from './settings.module.css';
import styles from './mcp.module.css';
import { readPairs, splitCommand } from './command-words';

/** A new server. Main shows it to the person once more before it is kept. */
export function McpForm({ sessionId, onDone }: { sessionId: string; onDone: () => void }) {
  const app = useApp();
  const [kind, setKind] = useState<'program' | 'address'>('program');
  const [name, setName] = useState('');
  const [reach, setReach] = useState('');
  const [pairs, setPairs] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isProgram = kind === 'program';

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    setProblem(null);
    try {
      const entry = entryOf(isProgram, reach, pairs);
      setBusy(true);
      const { added } = await app.client.request('mcp.add', { sessionId, name: name.trim(), entry });
      if (added) onDone();
      else setProblem('It was not added: you did not agree to it.');
    } catch (cause) {
      setProblem(cause instanceof RangeError ? cause.message : toAppError(cause).message);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      className={settings.form}
      aria-label="Add an MCP server"
      onSubmit={(event) => void add(event)}
      {...ownEscape(name !== '' || reach !== '', onDone)}
    >
      <div className={cx(settings.two, styles.top)}>
        <Field label="Name" hint="Letters, digits, “_” and “-”. Its tools are called mcp__name__tool.">
          {(control) => (
            <Input
              {...control}
              autoFocus
              spellCheck={false}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label="Kind">
          {() => (
            <Select
              label="Kind"
              value={kind}
              options={[
                { value: 'program', label: 'A program on this computer' },
                { value: 'address', label: 'An address (streamable HTTP)' },
              ]}
              onChange={(next) => setKind(next as typeof kind)}
            />
          )}
        </Field>
      </div>
      <Field
        label={isProgram ? 'Command' : 'Address'}
        hint={
          isProgram
            ? 'As in a terminal, with its arguments; no shell reads it. It runs in the folder of each session.'
            : 'Begins with https://.'
        }
        error={problem ?? undefined}
      >
        {(control) => (
          <Input
            {...control}
            spellCheck={false}
            placeholder={isProgram ? 'npx -y @modelcontextprotocol/server-filesystem .' : 'https://example.com/mcp'}
            value={reach}
            onChange={(event) => setReach(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={isProgram ? 'Environment' : 'Headers'}
        hint={`One a line: ${isProgram ? 'NAME=value' : 'Name: value'}. ${'${NAME}'} stands for a variable of yours.`}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={2}
            spellCheck={false}
            value={pairs}
            onChange={(event) => setPairs(event.target.value)}
          />
        )}
      </Field>
      <div className={settings.formActions}>
        <Button type="submit" tone="primary" disabled={isBusy || name.trim() === '' || reach.trim() === ''}>
          Add…
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}

/** @throws RangeError for the person */
function entryOf(isProgram: boolean, reach: string, pairs: string): McpEntry {
  if (!isProgram) return { url: reach.trim(), headers: readPairs(pairs, ':') };
  const [command = '', ...args] = splitCommand(reach);
  return { command, args, env: readPairs(pairs, '=') };
}
