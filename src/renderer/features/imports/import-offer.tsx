import { useState } from 'react';
import type { ImportGroup, ImportOffer as Offer } from '@shared/folder-import';
import { visibleString } from '@shared/policy/visible-text';
import { chooseImport, closeImport, startImport } from '../../actions/folder-import';
import { formatBytes, formatPath, plural } from '../../state/format';
import { useApp, useSettings } from '../../state/hooks';
import { Button, Notice, Visible } from '../../ui';
import styles from './imports.module.css';

/** Folders that are drawn at once. */
const PAGE = 100;

/** What there is to import, folder by folder; those with something new are ticked (IM1). */
export function ImportOffer({ offer }: { offer: Offer }) {
  const app = useApp();
  const home = useSettings((state) => state.home);
  const { groups, place, unfit, isWhole } = offer;
  const [left, setLeft] = useState<ReadonlySet<string>>(
    () => new Set(groups.filter(({ here, files }) => here === files).map(({ id }) => id)),
  );
  const [most, setMost] = useState(PAGE);
  const [isAsking, setAsking] = useState(false);
  const chosen = groups.filter(({ id }) => !left.has(id));
  const files = sumOf(chosen, 'files');
  const toggle = (id: string): void =>
    setLeft((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  async function start(): Promise<void> {
    setAsking(true);
    await startImport(
      app,
      chosen.map(({ id }) => id),
    );
    setAsking(false);
  }
  return (
    <>
      <div className={styles.part}>
        <p className={styles.figures} role="status">
          {plural(sumOf(groups, 'files'), 'session')} from {plural(groups.length, 'folder')},{' '}
          {formatBytes(sumOf(groups, 'bytes'))}. {hereWords(sumOf(groups, 'here'), sumOf(groups, 'grown'))}
        </p>
        <p className={styles.place}>
          In{' '}
          <code title={visibleString(place)}>
            <Visible text={formatPath(place, home)} place="path" />
          </code>
        </p>
        {!isWhole && (
          <Notice level="warning" title="There are more files than were looked at">
            Import these, or choose a folder in it.
          </Notice>
        )}
        {unfit > 0 && (
          <p className={styles.note}>
            {plural(unfit, 'file')} {unfit === 1 ? 'is not a session' : 'are not sessions'} or can’t be read; the report
            will say why.
          </p>
        )}
      </div>
      <div className={styles.all}>
        <label className={styles.tick}>
          <input
            type="checkbox"
            checked={left.size === 0}
            ref={(box) => {
              if (box) box.indeterminate = left.size > 0 && left.size < groups.length;
            }}
            onChange={(event) => setLeft(new Set(event.target.checked ? [] : groups.map(({ id }) => id)))}
          />
          All folders
        </label>
      </div>
      <ul className={styles.list} aria-label="Folders of the sessions">
        {groups.slice(0, most).map((group) => (
          <li key={group.id} className={styles.row}>
            <label className={styles.tick}>
              <input type="checkbox" checked={!left.has(group.id)} onChange={() => toggle(group.id)} />
              <span className={styles.folder}>
                {group.folder === '' ? (
                  'No folder'
                ) : (
                  <code title={visibleString(group.folder)}>
                    <Visible text={formatPath(group.folder, home)} place="path" />
                  </code>
                )}
                <span className={styles.note}>{groupWords(group)}</span>
              </span>
            </label>
            <span className={styles.size}>
              {plural(group.files, 'session')} · {formatBytes(group.bytes)}
            </span>
          </li>
        ))}
        {groups.length > most && (
          <li className={styles.more}>
            <Button tone="link" onClick={() => setMost(most + PAGE)}>
              Show {Math.min(PAGE, groups.length - most)} more of {groups.length - most}
            </Button>
          </li>
        )}
      </ul>
      <div className={styles.foot}>
        <Button tone="primary" disabled={files === 0 || isAsking} onClick={() => void start()}>
          {files === 0 ? 'Import' : `Import ${plural(files, 'session')}`}
        </Button>
        <Button disabled={isAsking} onClick={() => void chooseImport(app)}>
          Another folder…
        </Button>
        <Button disabled={isAsking} onClick={() => void closeImport(app)}>
          Cancel
        </Button>
      </div>
    </>
  );
}

const sumOf = (groups: readonly ImportGroup[], of: 'files' | 'bytes' | 'here' | 'grown'): number =>
  groups.reduce((sum, group) => sum + group[of], 0);

function hereWords(here: number, grown: number): string {
  const parts = [
    here === 0 ? '' : `${here.toLocaleString('en')} ${here === 1 ? 'is' : 'are'} in Espalier already`,
    grown === 0 ? '' : `${grown.toLocaleString('en')} went on since`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${parts.join(', ')}.`;
}

function groupWords({ here, files, grown, isMissing }: ImportGroup): string {
  return [
    isMissing ? 'This folder does not exist here' : '',
    here === 0 ? '' : here === files ? 'All in Espalier already' : `${here.toLocaleString('en')} in Espalier already`,
    grown === 0 ? '' : `${grown.toLocaleString('en')} went on since`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}
