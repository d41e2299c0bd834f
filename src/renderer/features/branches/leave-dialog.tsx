import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { LeavePreview } from '@shared/ipc/tree-types';
import { visibleString } from '@shared/policy/visible-text';
import type { ModelRef } from '@shared/types';
import { askAgain, leaveWith } from '../../actions/moves';
import { useBranchName, useTree } from '../../parts/branch-name';
import { SummaryOffer, SummaryProgress } from '../../parts/summary';
import type { LeaveChoice, LeaveQuestion } from '../../state/branch-state';
import { formatTokens, plural } from '../../state/format';
import { useApp, useLive, useSession, useSettings } from '../../state/hooks';
import { modelName } from '../../state/settings-store';
import type { SummaryProblem } from '../../state/summary-offer';
import { Button, Dialog, Glyph, Kbd, Notice, TextArea, Visible } from '../../ui';
import styles from './branches.module.css';

/** Files named in a line before the rest is only counted. */
const SHOWN = 6;

/** Paths in one line that can be read whole by hovering. */
function FileNames({ title, paths }: { title: string; paths: readonly string[] }) {
  if (paths.length === 0) return null;
  const more = paths.length - SHOWN;
  return (
    <p className={styles.files} title={paths.map(visibleString).join('\n')}>
      {title}:{' '}
      {paths.slice(0, SHOWN).map((path) => (
        <code key={path}>
          <Visible text={path} place="path" />
        </code>
      ))}
      {more > 0 && <span>and {more.toLocaleString('en')} more</span>}
    </p>
  );
}

interface LeaveDialogProps {
  question: LeaveQuestion;
  onClose: () => void;
}

/** Asked before visible work is left behind: go, or take a summary of it along (BR3). */
export function LeaveDialog({ question, onClose }: LeaveDialogProps) {
  const session = useSession();
  const app = useApp();
  const { preview, to } = question;
  const [choice, setChoice] = useState<LeaveChoice>(preview.model ? question.choice : 'none');
  const [instructions, setInstructions] = useState('');
  const [isAlways, setAlways] = useState(false);
  const [isGoing, setGoing] = useState(false);
  const [problem, setProblem] = useState<SummaryProblem | null>(question.problem ?? null);
  const leafId = useLive(session, (live) => live.leafId);
  useEffect(() => {
    if (!isGoing && leafId !== question.leafId) void askAgain(app, question);
  }, [app, question, leafId, isGoing]);
  // Whoever walks the choices with arrow keys keeps the keyboard there.
  const isPointing = useRef(false);

  async function go(model?: ModelRef): Promise<void> {
    setGoing(true);
    setProblem(null);
    const failed = await leaveWith(app, to, { choice, instructions, isAlways, model }, question.shows);
    // Gone: HEAD is elsewhere by its own act, and nothing is asked again.
    if (failed === null) return onClose();
    setGoing(false);
    setProblem(failed);
  }

  const cancel = (): void => (isGoing ? void app.ask('session.cancelJob', { sessionId: session.id }) : onClose());
  const isWriting = isGoing && choice !== 'none';
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && cancel()}
      title={isWriting ? 'Summarising this branch' : 'Leave this branch?'}
      lead={
        isWriting ? (
          'Nothing changes until the summary is complete.'
        ) : (
          <>
            <Sides to={to} /> {whatStays(preview)}
          </>
        )
      }
      footer={
        <>
          {!isWriting && (
            <Button tone="primary" disabled={isGoing} onClick={() => void go()}>
              {choice === 'none' ? 'Go' : 'Summarise and go'}{' '}
              <span aria-hidden>
                <Kbd>↵</Kbd>
              </span>
            </Button>
          )}
          <Button onClick={cancel}>
            Cancel <Kbd>Esc</Kbd>
          </Button>
        </>
      }
    >
      {isWriting ? (
        <Writing preview={preview} />
      ) : (
        <div
          className={styles.column}
          onPointerDown={() => (isPointing.current = true)}
          onKeyDown={(event) => {
            isPointing.current = false;
            if (!confirms(event)) return;
            event.preventDefault();
            void go();
          }}
        >
          {problem !== null && (
            <Notice level="warning" title="You have not left this branch">
              {problem.text} Nothing was changed. Try again, or go without a summary.
              {problem.tried && choice !== 'none' && (
                <SummaryOffer tried={problem.tried} onTry={(model) => void go(model)} />
              )}
            </Notice>
          )}
          <FileNames title="Changed on this branch" paths={preview.modifiedFiles} />
          <Choices preview={preview} choice={choice} onChoose={setChoice} />
          {choice === 'instructions' && (
            <TextArea
              value={instructions}
              rows={3}
              autoFocus={isPointing.current}
              maxLength={50_000}
              placeholder="Focus the summary on"
              aria-label="Focus the summary on"
              onChange={(event) => setInstructions(event.target.value)}
            />
          )}
          {choice !== 'instructions' && (
            <label className={styles.always}>
              <input type="checkbox" checked={isAlways} onChange={(event) => setAlways(event.target.checked)} />
              Don’t ask again. You can turn the question back on in Settings, Context.
            </label>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** Which branch is left for which one; nothing where that is the same one, or not known. */
function Sides({ to }: Pick<LeaveDialogProps['question'], 'to'>) {
  const session = useSession();
  useTree(session);
  const here = useLive(session, (live) => live.leafId);
  const from = useBranchName(session, here);
  const onto = useBranchName(session, to.targetId);
  if (from === null || onto === null || from === onto) return null;
  return (
    <>
      From <q dir="auto">{from}</q> to <q dir="auto">{onto}</q>.
    </>
  );
}

/** Enter takes the choice (GR23); not one that was held down since before the dialog, nor one that ends a word of an input method. */
function confirms({ key, shiftKey, repeat, nativeEvent, target }: KeyboardEvent): boolean {
  if (key !== 'Enter' || shiftKey || repeat || nativeEvent.isComposing) return false;
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

function Writing({ preview }: { preview: LeavePreview }) {
  const session = useSession();
  const hasBegun = useLive(session, (live) => live.job !== null);
  const name = useModelName(preview);
  return <SummaryProgress label={hasBegun ? `${name} is writing.` : 'Reading the branch.'} />;
}

interface ChoicesProps {
  preview: LeavePreview;
  choice: LeaveChoice;
  onChoose: (choice: LeaveChoice) => void;
}

function Choices({ preview, choice, onChoose }: ChoicesProps) {
  const group = useId();
  const name = useModelName(preview);
  const cannot = preview.model
    ? null
    : 'No model can write the summary here. Choose a model for this session, or set one up in Settings, Providers.';
  const options: readonly { id: LeaveChoice; title: string; text: string; disabled: boolean }[] = [
    { id: 'none', title: 'No summary', text: 'The branch stays. You can come back to it.', disabled: false },
    {
      id: 'summarise',
      title: 'Summarise',
      text: cannot ?? `${name} summarises what happened here, so the model knows it where you go.`,
      disabled: cannot !== null,
    },
    {
      id: 'instructions',
      title: 'Summarise with instructions',
      text: cannot ?? 'You choose what the summary focuses on.',
      disabled: cannot !== null,
    },
  ];
  return (
    <div className={styles.cards} role="radiogroup" aria-label="When leaving this branch">
      {options.map(({ id, title, text, disabled }) => (
        <label key={id} className={styles.card} data-chosen={choice === id || undefined}>
          <input
            type="radio"
            name={group}
            value={id}
            checked={choice === id}
            disabled={disabled}
            autoFocus={choice === id && id !== 'instructions'}
            onChange={() => onChoose(id)}
          />
          <span>
            <b>
              {id !== 'none' && <Glyph name="branchSummary" size={11} />} {title}
            </b>
            <span>{text}</span>
          </span>
        </label>
      ))}
    </div>
  );
}

function whatStays({ messages, tokens }: LeavePreview): string {
  return `${plural(messages, 'message')} (${formatTokens(tokens)} tokens) ${messages === 1 ? 'stays' : 'stay'} in the session. The model won’t see ${messages === 1 ? 'it' : 'them'} where you go.`;
}

function useModelName({ model }: LeavePreview): string {
  const providers = useSettings((state) => state.providers);
  return model ? modelName(providers, model.provider, model.modelId) : 'The model';
}
