import { useState } from 'react';
import type { ModelRef } from '@shared/types';
import { SummaryOffer } from '../../parts/summary';
import type { BranchDialog } from '../../state/branch-state';
import { useApp, useSession } from '../../state/hooks';
import { handOff } from '../../actions/branches';
import { Button, Dialog, Field, Notice, TextArea } from '../../ui';

interface HandoffDialogProps {
  question: Extract<BranchDialog, { kind: 'handoff' }>;
  onClose: () => void;
}

/** Asks for the goal of a handoff (HF1, HF2). */
export function HandoffDialog({ question, onClose }: HandoffDialogProps) {
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
