import { useEffect, useRef, useState } from 'react';
import type { BringOverPreview } from '@shared/ipc/tree-types';
import { visibleString } from '@shared/policy/visible-text';
import type { ModelRef } from '@shared/types';
import { bringOver } from '../../actions/branches';
import { act } from '../../actions/menus';
import { toAppError } from '../../bridge';
import { useBranchName, useTree } from '../../parts/branch-name';
import { SummaryOffer, SummaryProgress } from '../../parts/summary';
import { asSentence, formatTokens, plural } from '../../state/format';
import { useApp, useLive, useSession, useSettings } from '../../state/hooks';
import { modelName } from '../../state/settings-store';
import type { SummaryProblem } from '../../state/summary-offer';
import { Button, Dialog, Glyph, Kbd, Notice, Spinner, TextArea, Visible } from '../../ui';
import { Review } from '../review/review-dialog';
import styles from './branches.module.css';

/** What would be summarised, and who would do it. */
function BringOverFigures({ preview }: { preview: BringOverPreview }) {
  const providers = useSettings((state) => state.providers);
  const { messages, tokens, modifiedFiles, model } = preview;
  if (messages === 0) return <Notice>That branch has nothing to bring over, but you can read it.</Notice>;
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
function BringOverWarnings({ preview }: { preview: BringOverPreview }) {
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

interface BringOverSheetProps {
  sourceId: string;
  targetId: string;
  onClose: () => void;
}

const WIDTH_PX = 720;

/** The summary of a branch is put onto another one: what it comes to, its text to be edited, then it lands (BR13, BR14). */
export function BringOverSheet({ sourceId, targetId, onClose }: BringOverSheetProps) {
  const session = useSession();
  const app = useApp();
  const { preview, problem } = usePreview(session.id, sourceId, targetId);
  const job = useLive(session, (live) => (live.job?.kind === 'bringOver' ? live.job : null));
  const [instructions, setInstructions] = useState('');
  const [isAsked, setAsked] = useState(false);
  const [failed, setFailed] = useState<SummaryProblem | null>(null);
  // Put aside, or the person is in another session: then this sheet shows nothing of how it ends.
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);

  useTree(session);
  const from = useBranchName(session, sourceId);
  const onto = useBranchName(session, targetId);

  async function generate(model?: ModelRef): Promise<void> {
    setAsked(true);
    setFailed(null);
    const branches = { sessionId: session.id, sourceId, targetId };
    const reason = await bringOver(app, branches, { instructions, model }, () => isHere.current);
    setAsked(false);
    setFailed(reason);
    if (reason === null) onClose();
  }

  const review = job?.review ?? null;
  const isWriting = (isAsked || job !== null) && review === null;
  const cancel = (): void => (isWriting ? void app.ask('session.cancelJob', { sessionId: session.id }) : onClose());
  const canGenerate = preview !== null && preview.messages > 0 && preview.model !== null;
  const readIt = (): void => {
    onClose();
    act(app, 'entry.toBranch', { sessionId: session.id, id: sourceId });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && cancel()}
      title="Bring a branch over"
      lead={
        <>
          Adds a summary of {from === null ? 'that branch' : <q dir="auto">{from}</q>} to{' '}
          {onto === null ? 'this one' : <q dir="auto">{onto}</q>}, so the model knows what happened there.
        </>
      }
      size="large"
      width={WIDTH_PX}
      footer={
        review ? undefined : (
          <>
            {!isWriting && (
              // It has the keyboard from the beginning, and takes it once it can.
              <Button
                tone="primary"
                aria-disabled={!canGenerate || undefined}
                onClick={() => canGenerate && void generate()}
              >
                <Glyph name="branchSummary" size={11} plain /> Write the summary
              </Button>
            )}
            {!isWriting && <Button onClick={readIt}>Read it instead</Button>}
            <Button onClick={cancel}>
              Cancel <Kbd>Esc</Kbd>
            </Button>
          </>
        )
      }
    >
      <div className={styles.column}>
        {problem !== null && (
          <Notice level="error" title="The branches could not be compared">
            {problem} Nothing was changed.
          </Notice>
        )}
        {failed !== null && (
          <Notice level="warning" title="Nothing was brought over">
            {failed.text} Both branches are unchanged. You can try again.
            {failed.tried && <SummaryOffer tried={failed.tried} onTry={(model) => void generate(model)} />}
          </Notice>
        )}
        {preview ? <BringOverFigures preview={preview} /> : problem === null && <Comparing />}
        {preview && <BringOverWarnings preview={preview} />}
        {isWriting && <SummaryProgress label="Writing the summary." />}
        {job && review && (
          // Opened again for a summary that was asked for before, it is done with here.
          <Review job={job} draft={review} onAnswered={isAsked ? undefined : onClose} />
        )}
        {!isWriting && !review && canGenerate && (
          <TextArea
            value={instructions}
            rows={2}
            maxLength={50_000}
            placeholder="Focus on (optional)"
            aria-label="Focus on"
            onChange={(event) => setInstructions(event.target.value)}
          />
        )}
      </div>
    </Dialog>
  );
}

function Comparing() {
  return (
    <div className={styles.loading}>
      <Spinner label="Comparing the branches" size={18} />
    </div>
  );
}

function usePreview(
  sessionId: string,
  sourceId: string,
  targetId: string,
): { preview: BringOverPreview | null; problem: string | null } {
  const { client } = useApp();
  const [preview, setPreview] = useState<BringOverPreview | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isWanted = true;
    client.request('session.bringOverPreview', { sessionId, sourceId, targetId }).then(
      (found) => isWanted && setPreview(found),
      (cause: unknown) => isWanted && setProblem(asSentence(toAppError(cause).message)),
    );
    return () => {
      isWanted = false;
    };
  }, [client, sessionId, sourceId, targetId]);
  return { preview, problem };
}
