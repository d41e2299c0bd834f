import type { SlashRefusal } from '../../actions/menus';
import { Button, Notice } from '../../ui';
import styles from './composer.module.css';

interface SlashNoticeProps {
  refusal: SlashRefusal;
  /** Carries out the command that was meant. */
  onMeant: (text: string) => void;
  onSend: () => void;
  onDismiss: () => void;
}

/** Why a slash command was not carried out; what was written stays in the field (CM4). */
export function SlashNotice({ refusal, onMeant, onSend, onDismiss }: SlashNoticeProps) {
  const { why, meant, canBeSent } = refusal;
  return (
    <Notice
      level="warning"
      className={styles.problem}
      onDismiss={onDismiss}
      actions={
        canBeSent && (
          <>
            {meant && (
              <Button size="small" onClick={() => onMeant(meant)}>
                Use {meant.split(/\s/, 1)}
              </Button>
            )}
            <Button size="small" onClick={onSend}>
              Send as text
            </Button>
          </>
        )
      }
    >
      {why}
    </Notice>
  );
}
