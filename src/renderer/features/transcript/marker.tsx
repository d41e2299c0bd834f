import type { ReactNode } from 'react';
import type { BranchSummaryEntry } from '@shared/session/records/entry';
import { stripTagBlocks } from '@shared/session/records/own-marks';
import { ActionButton } from '../../parts/action-button';
import { useBranchName } from '../../parts/branch-name';
import { formatCost, formatTokens, plural } from '../../state/format';
import { useSettings } from '../../state/hooks';
import { hasUnknownPrice, modelName } from '../../state/settings-store';
import { Glyph, Visible } from '../../ui';
import { SummaryText } from './assistant-row';
import { useTranscript } from './context';
import { Fold } from './fold';
import { cutName, fieldOf, isBrief, numberField, shortName, textField } from './message-text';
import { formatDuration } from './moment';
import { OutputText } from './terminal';
import styles from './transcript.module.css';

/** A list of paths below a summary, folded. */
export function Files({ title, paths }: { title: string; paths: readonly string[] }) {
  if (paths.length === 0) return null;
  return (
    <Fold className={styles.markerFiles} label={`${title}: ${plural(paths.length, 'file')}`}>
      {() => (
        <ul>
          {paths.map((path) => (
            <li key={path}>
              <code>
                <Visible text={path} place="path" />
              </code>
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}

/** What the person wanted of a summary. */
export function Instructions({ text }: { text: string | null }) {
  if (text === null) return null;
  if (!isBrief(text)) return <OutputText text={text} label="Asked for" />;
  return <p className={styles.markerNote}>Asked for: {text}</p>;
}

interface MarkerProps {
  tone: 'amber' | 'violet' | 'undone';
  title: string;
  facts: readonly ReactNode[];
  /** What it says in short, where that is known (SU38). */
  short?: string | null;
  summary: string;
  cacheKey: string;
  actions?: ReactNode;
  /** At the right end of the rule. */
  grip?: ReactNode;
  /** Below the summary, when it is open. */
  children?: ReactNode;
  /** Below all of it. */
  after?: ReactNode;
}

/** A rule across the transcript where a summary stands: a line of facts, the summary folded, what can be done about it. */
export function Marker({
  tone,
  title,
  facts,
  short = null,
  summary,
  cacheKey,
  actions,
  grip,
  children,
  after,
}: MarkerProps) {
  const told = facts.filter(Boolean);
  return (
    <div className={styles.marker} data-tone={tone}>
      <div className={styles.rule}>
        <Glyph name={tone === 'violet' ? 'branchSummary' : 'compaction'} size={11} /> {title}
        {grip}
      </div>
      {told.length > 0 && (
        <p className={styles.markerFacts}>
          {told.map((fact, index) => (
            <span key={index}>{fact}</span>
          ))}
        </p>
      )}
      {short !== null && (
        <p className={styles.markerShort}>
          <Visible text={short} />
        </p>
      )}
      <Fold className={styles.markerFold} label="Summary" aside={actions} of={cacheKey}>
        {() => (
          <>
            <SummaryText text={summary} cacheKey={cacheKey} />
            {children}
          </>
        )}
      </Fold>
      {after}
    </div>
  );
}

/** The name that the model picker shows; `provider/id` of one that is not there any more. */
export function useModelName(key: string | null): string | null {
  const providers = useSettings((state) => state.providers);
  if (key === null) return null;
  const slash = key.indexOf('/');
  if (slash < 0) return shortName(key);
  return cutName(modelName(providers, key.slice(0, slash), key.slice(slash + 1)));
}

/** What the calls for a summary cost, in words; null: nothing was asked of a model of ours. */
export function useSummaryCost(facts: unknown): string | null {
  const cost = numberField(facts, 'cost');
  const model = textField(facts, 'model');
  const isFree = useSettings(
    ({ providers }) => model !== null && !hasUnknownPrice(providers, [model.split('/', 1)[0] ?? '']),
  );
  if (cost !== null && cost > 0) return formatCost(cost);
  if (model === null || numberField(facts, 'calls') === 0) return null;
  return isFree ? formatCost(0) : 'cost unknown';
}

/** The texts of a list in stored details, whatever is stored there. */
export function listOf(details: unknown, key: string): string[] {
  const list = fieldOf(details, key);
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
}

/** What `fromId` says where there was no branch to come from (TR10). */
const ROOT = 'root';

const NOT_ALL = 'Results of tools are not summarised, nor are older messages that did not fit the model.';

function Messages({ count, left }: { count: number; left: number }) {
  if (count >= left) return plural(count, 'message');
  return (
    <span title={NOT_ALL}>
      {count.toLocaleString('en')} of {plural(left, 'message')}
    </span>
  );
}

/** A summary that came from another branch: what it came to, and the way to the branch it tells of. `tokens`: its row knows them. */
export function BranchSummaryMarker({ entry, tokens }: { entry: BranchSummaryEntry; tokens: number }) {
  const { session } = useTranscript();
  const facts = fieldOf(entry.details, 'espalier');
  const model = useModelName(textField(facts, 'model'));
  const fromId = textField(entry, 'fromId');
  const name = useBranchName(useTranscript().session, fromId);
  const count = numberField(facts, 'entriesSummarized');
  const cost = useSummaryCost(facts);
  const duration = numberField(facts, 'durationMs');
  const instructions = textField(facts, 'instructions');
  const read = listOf(entry.details, 'readFiles');
  const modified = listOf(entry.details, 'modifiedFiles');
  const conflicts = listOf(facts, 'conflicts');
  const isBroughtOver = fieldOf(facts, 'broughtOver') === true;
  return (
    <Marker
      tone="violet"
      title={`${isBroughtOver ? 'Brought over from' : 'From'} ${name === null ? 'another branch' : `“${name}”`}`}
      facts={[
        count !== null && <Messages key="messages" count={count} left={numberField(facts, 'entriesLeft') ?? count} />,
        `${formatTokens(tokens)} tokens`,
        read.length + modified.length > 0 && plural(new Set([...read, ...modified]).size, 'file'),
        entry.fromHook === true ? 'by an extension' : model,
        cost,
        duration !== null && formatDuration(duration),
        conflicts.length > 0 && (
          <b key="conflicts" className={styles.conflict}>
            both branches changed {plural(conflicts.length, 'file')}
          </b>
        ),
      ]}
      actions={
        <>
          <ActionButton
            id="entry.pin"
            target={{ sessionId: session.id, id: entry.id, isUnsent: tokens === 0 }}
            tone="link"
          />
          {fromId !== null && fromId !== ROOT && (
            <ActionButton id="entry.toBranch" target={{ sessionId: session.id, id: fromId }} tone="link" />
          )}
        </>
      }
      summary={stripTagBlocks(entry.summary)}
      cacheKey={entry.id}
    >
      <Instructions text={instructions} />
      <Files title="Changed on both branches" paths={conflicts} />
      <Files title="Changed" paths={modified} />
      <Files title="Read" paths={read} />
    </Marker>
  );
}
