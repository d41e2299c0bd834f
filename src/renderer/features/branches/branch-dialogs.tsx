import { useState } from 'react';
import { own } from '@shared/checks';
import type { ModelRef } from '@shared/types';
import { handOff, setLabel } from '../../actions/branches';
import { SummaryOffer } from '../../parts/summary';
import type { BranchDialog } from '../../state/branch-state';
import { useApp, useSession, useUi } from '../../state/hooks';
import { Button, Dialog, Field, Glyph, Input, Notice, TextArea } from '../../ui';
import { BringOverSheet } from './bring-over-sheet';
import { ContextDialog } from './context-dialog';
import { LeaveDialog } from './leave-dialog';

interface HandoffDialogProps {
  question: Extract<BranchDialog, { kind: 'handoff' }>;
  onClose: () => void;
}

/** Asks for the goal of a handoff (HF1, HF2). */
function HandoffDialog({ question, onClose }: HandoffDialogProps) {
  const session = useSession();
  const app = useApp();
  const { problem } = question;
  const [goal, setGoal] = useState(question.goal ?? '');
  const start = (model?: ModelRef): void => {
    onClose();
    void handOff(app, session, goal, model);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Hand off to a new session"
      lead="The model drafts the first message of a new session. You can edit it before it is sent."
      footer={
        <>
          <Button tone="primary" disabled={goal.trim() === ''} onClick={() => start()}>
            Write draft
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      {problem && (
        <Notice level="warning" title="No draft was written">
          {problem.text} This session is unchanged, and no new session was created.
          {problem.tried && goal.trim() !== '' && <SummaryOffer tried={problem.tried} onTry={start} />}
        </Notice>
      )}
      <Field label="What should the new session do?" hint="This session stays unchanged.">
        {(control) => (
          <TextArea
            {...control}
            value={goal}
            rows={3}
            maxLength={50_000}
            onChange={(event) => setGoal(event.target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

const MAX_LENGTH = 200;

/** A label is a flag on a message: transcript, graph and outline show it. */
function LabelDialog({ entryId, name, onClose }: { entryId: string; name?: string; onClose: () => void }) {
  const app = useApp();
  const session = useSession();
  const [before] = useState(() => own(session.live.getState().labels, entryId) ?? '');
  const [text, setText] = useState(before || (name ?? ''));
  const save = async (label: string): Promise<void> => {
    if (await setLabel(app, session.id, entryId, label)) onClose();
  };
  const isUnchanged = text.trim() === before;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={name !== undefined ? 'Rename this branch' : before === '' ? 'Label this message' : 'Change label'}
      width={420}
      footer={
        <>
          <Button tone="primary" disabled={isUnchanged} onClick={() => void save(text)}>
            Save
          </Button>
          {before !== '' && <Button onClick={() => void save('')}>Remove label</Button>}
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <Field
        label={name === undefined ? 'Label' : 'Name'}
        hint={
          name === undefined
            ? 'Shown as a flag in the transcript, the graph and the outline.'
            : 'A label on the branch’s first message. Empty, the branch gets its own name back.'
        }
      >
        {(control) => (
          <Input
            {...control}
            value={text}
            lead={<Glyph name="label" size={12} />}
            maxLength={MAX_LENGTH}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
              event.preventDefault();
              if (isUnchanged) onClose();
              else void save(text);
            }}
          />
        )}
      </Field>
    </Dialog>
  );
}

/** What is asked and shown about the branches of the shown session. */
export function BranchDialogs() {
  const session = useSession();
  const app = useApp();
  const dialog = useUi((ui) => ui.branchDialog);
  // Another one may have been opened since.
  const close = (): void => {
    if (app.ui.getState().branchDialog === dialog) app.ui.setState({ branchDialog: null });
  };
  if (!dialog || sessionOf(dialog) !== session.id) return null;
  switch (dialog.kind) {
    case 'leave':
      return <LeaveDialog question={dialog} onClose={close} />;
    case 'bringOver':
      return <BringOverSheet {...dialog} onClose={close} />;
    case 'label':
      return <LabelDialog entryId={dialog.entryId} name={dialog.name} onClose={close} />;
    case 'handoff':
      return <HandoffDialog question={dialog} onClose={close} />;
    case 'context':
      return <ContextDialog entryId={dialog.entryId} onClose={close} />;
  }
}

function sessionOf(dialog: BranchDialog): string {
  return dialog.kind === 'leave' ? dialog.to.sessionId : dialog.sessionId;
}
