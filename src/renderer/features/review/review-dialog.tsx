import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { structuredPatch } from 'diff';
import { contextAfter, leavesNoRoom, type LiveJob, type ReviewDraft } from '@shared/compaction/summary-job';
import type { DiffLine } from '@shared/policy/diff-lines';
import { estimateText } from '@shared/session/records/estimate';
import { formatTokens, plural } from '../../state/format';
import { useApp, useLive, useSession, useUi } from '../../state/hooks';
import { forgetReview, isReviewKnown, isReviewOpen, reviewText, setReview } from '../../state/summary-jobs';
import { Button, cx, Dialog, Glyph, Notice, TextArea, type TextAreaProps } from '../../ui';
import { DiffView } from '../transcript/diff-view';
import styles from './review.module.css';

/**
 * Characters of a summary that can be edited: Chromium lays a field out as a whole, and megabytes in it hold the window for many
 * seconds. No window of a model leaves room for a longer summary.
 */
const MAX_CHARS = 100_000;
const BOUND = MAX_CHARS.toLocaleString('en');

interface SummaryTextProps extends Omit<TextAreaProps, 'value' | 'onChange' | 'readOnly'> {
  value: string;
  onChange: (text: string) => void;
}

/** The field of a summary (A2): a longer one shows its beginning and is taken or left as it is; a change that makes it longer is not made. */
export function SummaryText({ value, onChange, ...rest }: SummaryTextProps) {
  const [isRefused, setRefused] = useState(false);
  const isLong = value.length > MAX_CHARS;
  const change = (text: string): void => {
    setRefused(text.length > MAX_CHARS);
    if (text.length <= MAX_CHARS) onChange(text);
  };
  return (
    <>
      <TextArea
        {...rest}
        value={isLong ? value.slice(0, MAX_CHARS) : value}
        readOnly={isLong}
        onChange={(event) => change(event.target.value)}
      />
      {isLong && (
        <p role="status">
          Too long to edit: the first {BOUND} of its {plural(value.length, 'character')} are shown.
        </p>
      )}
      {isRefused && !isLong && <p role="alert">A summary can have at most {BOUND} characters. Nothing was added.</p>}
    </>
  );
}

const CONTEXT_LINES = 2;
/** Beyond this the search for the shortest difference could hold up typing. */
const MAX_EDITS = 600;

/**
 * What a summary changes of the one before it: the lines that came, went and stayed around them; null if the texts share too little to
 * compare. O(lines × changes).
 */
export function reviewDiff(previous: string, text: string): DiffLine[] | null {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  // A last line without its break would differ from the same line with one.
  const patch = structuredPatch('', '', `${previous.trim()}\n`, `${text.trim()}\n`, undefined, undefined, options);
  if (!patch) return null;
  return patch.hunks.flatMap(({ lines }, index) => [
    ...(index > 0 ? [{ kind: 'gap', text: '' } as const] : []),
    ...lines.map(lineOf),
  ]);
}

function lineOf(line: string): DiffLine {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
  return { kind, text: line.slice(1) };
}

const WIDTH_PX = 920;
/** A diff is drawn whole: half of it would be a review of half. */
const MOST_LINES = 5000;

/** What differs by what the summary is for. A draft of a handoff is read in the composer, a branch that is left is not reviewed. */
const KINDS = {
  compaction: { glyph: 'compaction', tone: 'amber', accept: 'Accept', cancel: 'Cancel compaction' },
  bringOver: { glyph: 'branchSummary', tone: 'primary', accept: 'Bring over', cancel: 'Cancel' },
} as const;

const PARTS = { history: 'of the conversation', prefix: 'of the turn that it divides' } as const;

/** A summary before it lands: read, changed, accepted or dropped (SH3). Nothing is stored until it is accepted. */
export function ReviewDialog() {
  const session = useSession();
  const job = useLive(session, (live) => live.job);
  // A branch that is brought over is reviewed in its sheet, beside what it would meet.
  if (job?.kind !== 'compaction' || !job.review) return null;
  return <OwnDialog key={job.startedAt} job={job} draft={job.review} />;
}

interface ReviewProps {
  job: LiveJob;
  draft: ReviewDraft;
}

function OwnDialog({ job, draft }: ReviewProps) {
  const session = useSession();
  const app = useApp();
  const open = useUi((ui) => isReviewOpen(ui, session.id, job));
  // By itself, once. Somebody who is typing keeps the keyboard; the card in the transcript opens the review then.
  useEffect(() => {
    if (isReviewKnown(app.ui.getState(), session.id, job) || isTyping()) return;
    setReview(app, session.id, job, { isOpen: true });
  }, [app, session, job]);
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => setReview(app, session.id, job, { isOpen })}
      title="Review the summary"
      lead="The model gets this in place of the summarised messages. Nothing is saved until you accept it."
      size="large"
      width={WIDTH_PX}
    >
      <Review job={job} draft={draft} />
    </Dialog>
  );
}

/** The text before it lands, and the two answers. What is typed is kept while the review is put aside. */
export function Review({ job, draft, onAnswered }: ReviewProps & { onAnswered?: () => void }) {
  const session = useSession();
  const app = useApp();
  const text = useUi((ui) => reviewText(ui, session.id, job) ?? draft.text);
  const [isSending, setSending] = useState(false);
  const kind = KINDS[job.kind === 'compaction' ? 'compaction' : 'bringOver'];
  const isBlank = text.trim() === '';
  const isChanged = text !== draft.text;
  const tokens = estimateText(text);
  const before = job.kind === 'compaction' ? job.tokensBefore : null;
  const after = contextAfter(draft, text);
  const isLarger = draft.isLarger === true && leavesNoRoom(draft, text, before ?? 0);
  const isQuestionable = (draft.isDoubtful === true && !isChanged) || isLarger;
  const canBeAnew = draft.isDoubtful === true || draft.isLarger === true;

  async function answer(how: 'accept' | 'cancel' | 'anew'): Promise<void> {
    setSending(true);
    const given = { sessionId: session.id, answer: how, text: how === 'accept' ? text : '' };
    const done = await app.did('session.answerReview', given);
    setSending(false);
    if (!done) return;
    if (how === 'anew') forgetReview(app, session.id);
    else onAnswered?.();
  }

  return (
    <div className={cx(styles.review, canBeAnew && styles.doubtful)}>
      {draft.isDoubtful && (
        <Notice level="warning" title="This does not look like a summary">
          {draft.doubtfulPart === undefined
            ? 'None of the asked parts is in it, nor was it at the first try. As it stands, the model would continue with this text alone.'
            : `What it says ${PARTS[draft.doubtfulPart]} has none of the asked parts, nor had it at the first try. The rest is as it should be.`}
        </Notice>
      )}
      {isLarger && (
        <Notice level="warning" title="This summary would make the context larger">
          {before !== null &&
            `It is longer than what it stands for: ${formatTokens(before)} tokens would become about ${formatTokens(after ?? 0)}. `}
          {before === null && `The context would be about ${formatTokens(after ?? 0)} tokens. `}
          No message would fit after it. {text.length > MAX_CHARS ? 'Have' : 'Shorten it here, have'} it written again,
          or cancel.
        </Notice>
      )}
      <div className={styles.panes}>
        <section aria-label="Summary" className={styles.pane}>
          <h3>Summary</h3>
          <SummaryText
            className={styles.text}
            value={text}
            aria-label="Summary"
            aria-invalid={isBlank || undefined}
            spellCheck={false}
            onChange={(changed) => setReview(app, session.id, job, { text: changed })}
          />
        </section>
        {draft.previousSummary !== null && <Changes previous={draft.previousSummary} text={text} />}
      </div>
      <p className={styles.facts}>
        <span>{formatTokens(tokens)} tokens</span>
        {draft.previousSummary !== null && (
          <span>previous summary: {formatTokens(estimateText(draft.previousSummary))}</span>
        )}
        {before !== null && after !== null && (
          <span>
            context {formatTokens(before)} → ~{formatTokens(after)}
          </span>
        )}
        {isChanged && (
          <Button tone="link" onClick={() => setReview(app, session.id, job, { text: draft.text })}>
            Revert my changes
          </Button>
        )}
      </p>
      {isBlank && <Notice level="warning">The summary is empty. Write something, or cancel.</Notice>}
      <div className={styles.buttons}>
        <Button
          tone={isLarger ? 'default' : kind.tone}
          disabled={isBlank || isSending}
          onClick={() => void answer('accept')}
        >
          <Glyph name={kind.glyph} size={11} plain /> {isQuestionable ? 'Use anyway' : kind.accept}
        </Button>
        {canBeAnew && (
          <Button disabled={isSending} onClick={() => void answer('anew')}>
            {isChanged ? 'Try again and drop my changes' : 'Try again'}
          </Button>
        )}
        <Button disabled={isSending} onClick={() => void answer('cancel')}>
          {isChanged ? `${kind.cancel} and drop my changes` : kind.cancel}
        </Button>
        <span className={styles.space} />
        <span className={styles.note}>Esc closes the review and keeps your changes.</span>
      </div>
    </div>
  );
}

/** What is different from the summary before. It follows the typing when there is time. */
function Changes({ previous, text }: { previous: string; text: string }) {
  const settled = useDeferredValue(text);
  const lines = useMemo(() => reviewDiff(previous, settled), [previous, settled]);
  const changed = lines?.filter(({ kind }) => kind === 'added' || kind === 'removed').length ?? 0;
  return (
    <section aria-label="Changes from the previous summary" className={styles.pane}>
      <h3>
        Changes from the previous summary
        {lines && <span>{changed === 0 ? 'none' : plural(changed, 'line')}</span>}
      </h3>
      <div className={styles.diff}>
        {lines === null ? (
          <p className={styles.note}>The summaries are too different to compare line by line.</p>
        ) : (
          <DiffView lines={lines} path="the summary" first={MOST_LINES} most={MOST_LINES} />
        )}
      </div>
    </section>
  );
}

function isTyping(): boolean {
  const focused = document.activeElement;
  return focused instanceof HTMLTextAreaElement && focused.value !== '';
}
