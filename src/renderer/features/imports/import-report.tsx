import { useEffect, useState } from 'react';
import type { ImportItem, ImportOutcome, ImportSummary } from '@shared/folder-import';
import { visibleString } from '@shared/policy/visible-text';
import { closeImport, copyReport, openImported, OUTCOME_WORDS, readReport } from '../../actions/folder-import';
import { formatPath, plural } from '../../state/format';
import { useApp, useSettings } from '../../state/hooks';
import { endWords } from '../../state/import-says';
import { Button, Chip, type ChipTone, Notice, Visible } from '../../ui';
import styles from './imports.module.css';

const TONES: Record<ImportOutcome, ChipTone> = {
  skipped: 'amber',
  second: 'violet',
  grown: 'leaf',
  imported: 'leaf',
  here: 'neutral',
};

/** What became of each file (IM3). It stays until the person is done with it. */
export function ImportReport({ summary, items: count }: { summary: ImportSummary; items: number }) {
  const app = useApp();
  const home = useSettings((state) => state.home);
  const [items, setItems] = useState<readonly ImportItem[]>([]);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    let isGone = false;
    void readReport(app, 0).then((first) => isGone || setItems(first));
    return () => {
      isGone = true;
    };
  }, [app, summary]);
  const more = async (): Promise<void> => {
    const next = await readReport(app, items.length);
    setItems((before) => [...before, ...next]);
  };
  return (
    <>
      <div className={styles.part}>
        <p className={styles.figures} role="status">
          {endWords(summary)} {restWords(summary)}
        </p>
        {summary.missing.length > 0 && (
          <Notice level="info" title="Folders that do not exist here">
            {summary.missing.map((folder) => (
              <code key={folder} className={styles.missing}>
                <Visible text={formatPath(folder, home)} place="path" />
              </code>
            ))}
            Their sessions work in a scratch folder until you choose another.
          </Notice>
        )}
      </div>
      <ul className={styles.list} aria-label="Files" data-readable>
        {items.map((item, index) => (
          <Item key={index} item={item} />
        ))}
        {items.length < count && items.length > 0 && (
          <li className={styles.more}>
            <Button tone="link" onClick={() => void more()}>
              Show more of {(count - items.length).toLocaleString('en')}
            </Button>
          </li>
        )}
      </ul>
      <div className={styles.foot}>
        <Button tone="primary" onClick={() => void closeImport(app)}>
          Done
        </Button>
        <Button onClick={() => void copyReport(app).then(() => setCopied(true))}>
          {isCopied ? 'Copied' : 'Copy report'}
        </Button>
      </div>
    </>
  );
}

function Item({ item }: { item: ImportItem }) {
  const app = useApp();
  const { name, outcome, sessionId, title, notes } = item;
  const shown = visibleString(title || name);
  return (
    <li className={styles.item}>
      <Chip tone={TONES[outcome]} className={styles.outcome}>
        {OUTCOME_WORDS[outcome]}
      </Chip>
      <span className={styles.said}>
        <bdi className={styles.title} title={visibleString(name)}>
          {shown}
        </bdi>
        {notes.map((note, index) => (
          <span key={index} className={styles.note}>
            {visibleString(note)}
          </span>
        ))}
      </span>
      {sessionId !== undefined && (
        <Button size="small" aria-label={`Open ${shown}`} onClick={() => openImported(app, sessionId)}>
          Open
        </Button>
      )}
    </li>
  );
}

function restWords({ counts, damaged }: ImportSummary): string {
  return [
    counts.second > 0 ? `${plural(counts.second, 'session')} of them beside one of the same id.` : '',
    damaged > 0 ? `Of ${plural(damaged, 'session')} some lines could not be read; they are kept as they are.` : '',
    counts.here > 0 ? `${counts.here.toLocaleString('en')} ${counts.here === 1 ? 'was' : 'were'} here already.` : '',
    counts.skipped > 0 ? `${plural(counts.skipped, 'file')} ${counts.skipped === 1 ? 'was' : 'were'} skipped.` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}
