import type { SummaryModel } from '@shared/compaction/preview';
import type { PreviewFigures } from '@shared/compaction/preview-figures';
import { formatCost, formatTokens, plural } from '../../state/format';
import styles from './compaction.module.css';

/** More turns than this are no prospect that helps to decide. */
const MOST_TURNS = 500;

interface CutRailProps {
  figures: PreviewFigures;
  cut: number;
  model: SummaryModel | undefined;
}

/** What the cut comes to, as it moves. */
export function CutRail({ figures, cut, model }: CutRailProps) {
  const { tokensBefore, limits } = figures.preview;
  const { projected, messages, keptMessages, files, gain } = figures.at(cut);
  const { places, earlier } = figures.wordForWord(cut);
  const words = places.size + earlier;
  const cost = model ? figures.cost(cut, model) : null;
  const turns = model ? figures.paysBackIn(cut, model) : null;
  const isStillOver = limits.threshold !== null && projected > limits.threshold;
  return (
    // Focusable, because in a low window it scrolls.
    <div className={styles.rail} role="group" aria-label="Result" tabIndex={0} data-cut-rail>
      <dl>
        <div>
          <dt>after</dt>
          <dd>~{formatTokens(projected)}</dd>
          <dd>from {formatTokens(tokensBefore)}</dd>
          {gain <= 0 && <dd className={styles.warn}>not smaller</dd>}
          {gain > 0 && isStillOver && (
            <dd className={styles.warn}>still above {formatTokens(limits.threshold ?? 0)}</dd>
          )}
        </div>
        <div>
          <dt>summarised</dt>
          <dd>{messages.toLocaleString('en')}</dd>
          {files !== null && <dd>{plural(files, 'file')}</dd>}
          <dd>{keptMessages.toLocaleString('en')} kept</dd>
          {words > 0 && <dd title="Your newest messages stand beside the summary">{words} word for word</dd>}
        </div>
        <div>
          <dt>costs</dt>
          <dd>{cost === null ? 'unknown' : cost === 0 ? 'nothing' : `~${formatCost(cost)}`}</dd>
          {turns !== null && turns <= MOST_TURNS && <dd>pays back in {plural(turns, 'turn')}</dd>}
        </div>
      </dl>
    </div>
  );
}
