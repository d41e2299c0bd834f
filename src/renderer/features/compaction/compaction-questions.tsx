import { useState } from 'react';
import type { CompactionEntry } from '@shared/session/records/entry';
import { stripTagBlocks } from '@shared/session/records/own-marks';
import { own } from '@shared/checks';
import { estimateText } from '@shared/session/records/estimate';
import { summariseAgain, undoCompaction } from '../../actions/compaction';
import { formatTokens, plural } from '../../state/format';
import { useApp, useSession, useUi } from '../../state/hooks';
import type { CompactionQuestion } from '../../state/ui-store';
import { Button, Dialog, Field, TextArea } from '../../ui';
import { SummaryText } from '../review/review-dialog';
import styles from './questions.module.css';

/** What is asked before a compaction is taken back, edited or made again. */
export function CompactionQuestions() {
  const session = useSession();
  const app = useApp();
  const question = useUi((ui) => ui.compactionQuestion);
  if (question?.sessionId !== session.id) return null;
  const close = (): void => app.ui.setState({ compactionQuestion: null });
  switch (question.kind) {
    case 'undo':
      return <UndoQuestion question={question} onClose={close} />;
    case 'edit':
      return <EditSummary entryId={question.entryId} onClose={close} />;
    case 'again':
      return <Again entryId={question.entryId} onClose={close} />;
  }
}

interface UndoQuestionProps {
  question: Extract<CompactionQuestion, { kind: 'undo' }>;
  onClose: () => void;
}

function UndoQuestion({ question, onClose }: UndoQuestionProps) {
  const app = useApp();
  const { preview } = question;
  const { later, tokensAfter, hardLine } = preview;
  const isTight = hardLine !== null && tokensAfter > hardLine;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Undo this compaction?"
      footer={
        <>
          <Button tone="primary" onClick={() => void undoCompaction(app, question)}>
            Undo
          </Button>
          {isTight && (
            <Button
              onClick={() => {
                onClose();
                app.ui.setState({ modelPicker: true });
              }}
            >
              Choose another model
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <div className={styles.text}>
        {later > 0 && (
          <p>
            {later === 1 ? 'A later compaction was' : `${plural(later, 'later compaction')} were`} made from its summary
            and will be undone too. The session keeps them.
          </p>
        )}
        {isTight && (
          <p>
            The context would be about {formatTokens(tokensAfter)} tokens, but only {formatTokens(hardLine)} fit. Your
            next message would compact again. To avoid that, choose a model with a larger context window or a different
            cut.
          </p>
        )}
      </div>
    </Dialog>
  );
}

interface EntryDialogProps {
  entryId: string;
  onClose: () => void;
}

function EditSummary({ entryId, onClose }: EntryDialogProps) {
  const session = useSession();
  const app = useApp();
  const entry = session.entry(entryId) as CompactionEntry | undefined;
  const original = stripTagBlocks(entry?.summary ?? '');
  const kept = useUi((ui) => own(ui.edits, session.id));
  const text = kept?.entryId === entryId ? kept.text : original;
  const keep = (changed: string | null): void =>
    app.ui.setState((ui) => ({
      edits: { ...ui.edits, [session.id]: changed === null ? undefined : { entryId, text: changed } },
    }));
  const [isSaving, setSaving] = useState(false);
  const isBlank = text.trim() === '';
  const save = async (): Promise<void> => {
    setSaving(true);
    const isSaved = await app.did('session.editSummary', { sessionId: session.id, entryId, summary: text });
    setSaving(false);
    if (!isSaved) return;
    keep(null);
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Edit summary"
      lead="The model gets your text instead. The session keeps the original summary."
      size="large"
      footer={
        <>
          <Button tone="primary" disabled={isBlank || isSaving || text === original} onClick={() => void save()}>
            Save
          </Button>
          {text !== original && <Button onClick={() => keep(null)}>Discard changes</Button>}
          <Button onClick={onClose}>{text === original ? 'Close' : 'Keep for later'}</Button>
        </>
      }
    >
      <Field
        label="Summary"
        hint={`About ${formatTokens(estimateText(text))} tokens. The file lists are added again after it.`}
        error={isBlank ? 'Enter a summary. Without one, the model would know nothing of what came before.' : undefined}
      >
        {(control) => <SummaryText {...control} className={styles.editor} value={text} rows={18} onChange={keep} />}
      </Field>
    </Dialog>
  );
}

function Again({ entryId, onClose }: EntryDialogProps) {
  const session = useSession();
  const app = useApp();
  const entry = session.entry(entryId) as
    (CompactionEntry & { details?: { espalier?: { instructions?: string } } }) | undefined;
  const [instructions, setInstructions] = useState(entry?.details?.espalier?.instructions ?? '');
  const start = (): void => {
    onClose();
    void summariseAgain(app, session.id, entryId, instructions);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Summarise again"
      lead="Replaces this summary with a new one of the same messages. Later messages stay, and the session keeps the old summary."
      footer={
        <>
          <Button tone="amber" onClick={start}>
            Summarise again
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <Field label="Focus on">
        {(control) => (
          <TextArea
            {...control}
            value={instructions}
            rows={4}
            maxLength={50_000}
            onChange={(event) => setInstructions(event.target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}
