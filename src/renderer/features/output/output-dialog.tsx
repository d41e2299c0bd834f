import { useEffect, useState } from 'react';
import { Button, Dialog, Notice, Spinner } from '../../ui';
import { toAppError, type Client } from '../../bridge';
import { useApp, useUi } from '../../state/hooks';
import type { UiState } from '../../state/ui-store';
import { TerminalText } from '../transcript/terminal';
import styles from './output.module.css';

type OutputTarget = NonNullable<UiState['output']>;

interface Page {
  text: string;
  /** Bytes into the file at which the page starts. */
  from: number;
  /** Bytes into the file at which the next page starts. */
  next: number;
  total: number;
}

/** The whole output of a command, one page of its file at a time: it may be hundreds of megabytes. */
export function OutputDialog() {
  const app = useApp();
  const target = useUi((ui) => ui.output);
  const close = (): void => app.ui.setState({ output: null });
  return (
    <Dialog open={target !== null} onOpenChange={(open) => !open && close()} title="Full output" size="large">
      {target && <Pages key={target.entryId} target={target} />}
    </Dialog>
  );
}

function Pages({ target }: { target: OutputTarget }) {
  const { client } = useApp();
  const [starts, setStarts] = useState<readonly number[]>([0]);
  const [page, setPage] = useState<Page | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const from = starts.at(-1) ?? 0;
  useEffect(() => {
    let shown = true;
    readPage(client, target, from).then(
      (read) => shown && setPage(read),
      (cause: unknown) => shown && setProblem(toAppError(cause).message),
    );
    return () => {
      shown = false;
    };
  }, [client, target, from]);
  if (problem) return <Notice level="error">{problem}</Notice>;
  if (!page) return <Spinner label="Reading the output" size={18} />;
  return (
    <>
      <pre key={page.from} className={styles.text} tabIndex={0} aria-label="Output">
        <TerminalText text={page.text} />
      </pre>
      <div className={styles.foot}>
        <span>
          {percent(page.from, page.total)} to {percent(page.next, page.total)} of {size(page.total)}
        </span>
        <Button size="small" disabled={starts.length < 2} onClick={() => setStarts(starts.slice(0, -1))}>
          Earlier
        </Button>
        <Button size="small" disabled={page.next >= page.total} onClick={() => setStarts([...starts, page.next])}>
          Later
        </Button>
      </div>
    </>
  );
}

async function readPage(client: Client, { sessionId, entryId }: OutputTarget, from: number): Promise<Page> {
  const { text, offset, total } = await client.request('entries.readOutput', { sessionId, entryId, offset: from });
  return { text, from, next: offset, total };
}

function percent(at: number, total: number): string {
  return total === 0 ? '0 %' : `${Math.round((at / total) * 100)} %`;
}

function size(bytes: number): string {
  return new Intl.NumberFormat('en', { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 0 }).format(
    Math.max(1, bytes / 1000),
  );
}
