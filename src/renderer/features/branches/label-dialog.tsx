import { useState } from 'react';
import { own } from '@shared/checks';
import { useApp, useSession } from '../../state/hooks';
import { setLabel } from '../../actions/branches';
import { Button, Dialog, Field, Glyph, Input } from '../../ui';

const MAX_LENGTH = 200;

/** A label is a flag on a message: transcript, graph and outline show it. */
export function LabelDialog({ entryId, onClose }: { entryId: string; onClose: () => void }) {
  const app = useApp();
  const session = useSession();
  const [before] = useState(() => own(session.live.getState().labels, entryId) ?? '');
  const [text, setText] = useState(before);
  const save = async (label: string): Promise<void> => {
    if (await setLabel(app, session.id, entryId, label)) onClose();
  };
  const isUnchanged = text.trim() === before;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={before === '' ? 'Label this message' : 'Change label'}
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
      <Field label="Label" hint="Shown as a flag in the transcript, the graph and the outline.">
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
