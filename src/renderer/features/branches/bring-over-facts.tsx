import type { BringOverPreview } from '@shared/ipc/tree-types';
import { visibleString } from '@shared/policy/visible-text';
import { formatTokens, plural } from '../../state/format';
import { useSettings } from '../../state/hooks';
import { modelName } from '../../state/settings-store';
import { Notice, Visible } from '../../ui';
import styles from './branches.module.css';

/** What would be summarised, and who would do it. */
export function BringOverFigures({ preview }: { preview: BringOverPreview }) {
  const providers = useSettings((state) => state.providers);
  const { messages, tokens, modifiedFiles, model } = preview;
  if (messages === 0) return <Notice>That branch has nothing to bring over, but you can go there.</Notice>;
  return (
    <>
      <p className={styles.figures}>
        <span>
          <b>{plural(messages, 'message')}</b> of that branch
        </span>
        <span>
          <b>{formatTokens(tokens)}</b> tokens
        </span>
        {modifiedFiles.length > 0 && (
          <span title={modifiedFiles.map(visibleString).join('\n')}>
            <b>{plural(modifiedFiles.length, 'file')}</b> changed
          </span>
        )}
        {model && <span>{modelName(providers, model.provider, model.modelId)} writes the summary</span>}
      </p>
      {!model && (
        <Notice level="warning">
          No model can write the summary here. Choose a model for this session, or set one up in Settings, Providers.
        </Notice>
      )}
    </>
  );
}

/** What the person should know before the two are joined: nothing is merged but words. */
export function BringOverWarnings({ preview }: { preview: BringOverPreview }) {
  const { conflicts, staleReads, hasCommands } = preview;
  return (
    <>
      {conflicts.length > 0 && (
        <Notice level="warning" title={`Both branches changed ${plural(conflicts.length, 'file')}`}>
          The files on disk are the versions written last. Check them before you continue.
          <Paths paths={conflicts} label="Files that both branches changed" />
        </Notice>
      )}
      {staleReads.length > 0 && (
        <Notice
          title={`${plural(staleReads.length, 'file')} read here ${staleReads.length === 1 ? 'was' : 'were'} changed there`}
        >
          What the model read on this branch may be out of date.
          <Paths paths={staleReads} label="Files read here and changed there" />
        </Notice>
      )}
      {hasCommands && (
        <p className={styles.note}>Commands ran on these branches. Espalier doesn’t know which files they changed.</p>
      )}
    </>
  );
}

function Paths({ paths, label }: { paths: readonly string[]; label: string }) {
  return (
    <ul className={styles.list} aria-label={label}>
      {paths.map((path) => (
        <li key={path}>
          <code>
            <Visible text={path} place="path" />
          </code>
        </li>
      ))}
    </ul>
  );
}
