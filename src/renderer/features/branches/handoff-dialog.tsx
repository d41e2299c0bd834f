import { useState } from 'react';
import { useApp } from '../../state/hooks';
import { handOff } from '../../state/handoff';
import { Button, Dialog, Field, TextArea } from '../../ui';

/** Asks for the goal of a handoff (engine.md 17). */
export function HandoffDialog({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const app = useApp();
  const [goal, setGoal] = useState('');
  const start = (): void => {
    onClose();
    void handOff(app, sessionId, goal);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Hand off to a new session"
      lead="The model drafts the first message of a new session from this one. You edit it before it is sent."
      footer={
        <>
          <Button tone="primary" disabled={goal.trim() === ''} onClick={start}>
            Draft it
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <Field label="What should the new session do?" hint="This session stays as it is.">
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
