import { useState } from 'react';
import { estimateText } from '@shared/session/estimate';
import { formatTokens } from '../../state/format';
import { useApp, useSession, useUi } from '../../state/hooks';
import { Button, Field, Glyph, TextArea } from '../../ui';
import styles from './branches.module.css';

interface BringOverReviewProps {
  startedAt: number;
  /** As the model wrote it. */
  draft: string;
  /** The text to store, or null to drop it. */
  onAnswer: (text: string | null) => Promise<void>;
}

/** The summary before it lands. What is typed is kept while the sheet is put aside. */
export function BringOverReview({ startedAt, draft, onAnswer }: BringOverReviewProps) {
  const session = useSession();
  const app = useApp();
  const kept = useUi((ui) => ui.reviews[session.id]);
  const text = kept?.startedAt === startedAt ? kept.text : draft;
  const [isSending, setSending] = useState(false);
  const isBlank = text.trim() === '';
  const setText = (changed: string): void =>
    app.ui.setState(({ reviews }) => ({
      reviews: { ...reviews, [session.id]: { startedAt, text: changed, isOpen: false } },
    }));
  const answer = async (accepted: string | null): Promise<void> => {
    setSending(true);
    await onAnswer(accepted);
    setSending(false);
  };
  return (
    <>
      <Field
        label="Summary"
        hint={`About ${formatTokens(estimateText(text))} tokens. Nothing is stored until you bring it over.`}
        error={isBlank ? 'Write something, or cancel.' : undefined}
      >
        {(control) => (
          <TextArea
            {...control}
            className={styles.editor}
            value={text}
            autoFocus
            spellCheck={false}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className={styles.figures}>
        <Button tone="primary" disabled={isBlank || isSending} onClick={() => void answer(text)}>
          <Glyph name="branchSummary" size={11} plain /> Bring over
        </Button>
        <Button disabled={isSending} onClick={() => void answer(null)}>
          Cancel
        </Button>
        <span className={styles.space} />
        <span className={styles.note}>Esc puts it aside, with your changes.</span>
      </div>
    </>
  );
}
