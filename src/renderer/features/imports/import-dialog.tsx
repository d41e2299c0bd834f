import type { ImportState } from '@shared/folder-import';
import { chooseImport, closeImport, stopImport } from '../../actions/folder-import';
import { formatBytes, plural } from '../../state/format';
import { useApp, useUi } from '../../state/hooks';
import { Button, Dialog, EmptyState, Spinner } from '../../ui';
import { ImportOffer } from './import-offer';
import { ImportReport } from './import-report';
import styles from './imports.module.css';

const LEAD: Record<ImportState['phase'], string> = {
  none: 'Session files are copied; the originals stay as they are.',
  looking: 'Session files are copied; the originals stay as they are.',
  offered: 'Session files are copied; the originals stay as they are. Leave out the folders you don’t want.',
  running: 'You can close this and go on working. The report waits for you.',
  done: 'The original files are unchanged.',
};

/** The import of all sessions of a folder (IM1–IM6): what there is, how far it is, what became of it. It goes on while it is closed. */
export function ImportDialog() {
  const app = useApp();
  const open = useUi((ui) => ui.importOpen);
  const state = useUi((ui) => ui.imports);
  return (
    <Dialog
      open={open}
      onOpenChange={(importOpen) => app.ui.setState({ importOpen })}
      title={TITLES[state.phase]}
      lead={LEAD[state.phase]}
      width={680}
      flush
    >
      {open && <Phase state={state} />}
    </Dialog>
  );
}

const TITLES: Record<ImportState['phase'], string> = {
  none: 'Import from pi',
  looking: 'Import from pi',
  offered: 'Import from pi',
  running: 'Importing sessions',
  done: 'What was imported',
};

function Phase({ state }: { state: ImportState }) {
  switch (state.phase) {
    case 'none':
      return <Nothing title="pi’s sessions were not found" words={state.problem} />;
    case 'looking':
      return (
        <div className={styles.looking} role="status">
          <Spinner size={18} />
          Looking for sessions…
        </div>
      );
    case 'offered': {
      const { offer } = state;
      if (offer.groups.length > 0) return <ImportOffer key={offer.place} offer={offer} />;
      return <Nothing title="No sessions in this folder" words={offer.place} />;
    }
    case 'running':
      return <Running progress={state.progress} isStopping={state.isStopping} />;
    case 'done':
      return <ImportReport summary={state.summary} items={state.items} />;
  }
}

function Nothing({ title, words }: { title: string; words: string }) {
  const app = useApp();
  return (
    <div className={styles.part}>
      <EmptyState
        title={title}
        actions={
          <>
            <Button tone="primary" onClick={() => void chooseImport(app)}>
              Choose a folder…
            </Button>
            <Button onClick={() => void closeImport(app)}>Cancel</Button>
          </>
        }
      >
        {words} Choose the folder that they are in.
      </EmptyState>
    </div>
  );
}

function Running({
  progress,
  isStopping,
}: Pick<Extract<ImportState, { phase: 'running' }>, 'progress' | 'isStopping'>) {
  const app = useApp();
  const { files, ofFiles, bytes, ofBytes } = progress;
  const percent = ofBytes === 0 ? 0 : Math.floor((100 * bytes) / ofBytes);
  return (
    <>
      <div className={styles.part}>
        <div
          className={styles.bar}
          role="progressbar"
          aria-label="Import"
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <i style={{ width: `${percent}%` }} />
        </div>
        <p className={styles.figures}>
          {files.toLocaleString('en')} of {plural(ofFiles, 'session')} · {formatBytes(bytes)} of {formatBytes(ofBytes)}
        </p>
      </div>
      <div className={styles.foot}>
        <Button disabled={isStopping} onClick={() => void stopImport(app)}>
          {isStopping ? 'Stopping…' : 'Stop'}
        </Button>
        <span className={styles.note}>What is imported stays.</span>
      </div>
    </>
  );
}
