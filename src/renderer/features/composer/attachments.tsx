import { FileText, X } from 'lucide-react';
import { useStore } from 'zustand';
import { visibleString } from '@shared/policy/visible-text';
import { FIELD_BOUND, fitsField, joined } from '../../state/draft-field';
import { formatBytes, plural } from '../../state/format';
import { useApp, useSession } from '../../state/hooks';
import type { DraftAttachment } from '../../state/local-store';
import { Button, IconButton, Notice } from '../../ui';
import { MAX_TEXT_BYTES } from './attach';
import styles from './composer.module.css';

interface AttachmentChipsProps {
  attachments: readonly DraftAttachment[];
  onRemove: (id: string) => void;
  /** Whether the field has room for it. */
  canInsert: (file: DraftAttachment) => boolean;
  onInsert: (file: DraftAttachment) => void;
}

/** The files that go with the next message. */
export function AttachmentChips({ attachments, onRemove, canInsert, onInsert }: AttachmentChipsProps) {
  if (attachments.length === 0) return null;
  return (
    <ul className={styles.attachments} aria-label="Attached files">
      {attachments.map((file) => (
        <li key={file.id} className={styles.attachment}>
          {file.kind === 'image' ? (
            <img src={`data:${file.mimeType};base64,${file.data}`} alt="" className={styles.thumb} />
          ) : (
            <FileText size={14} aria-hidden />
          )}
          <span className={styles.fileName}>{visibleString(file.name)}</span>
          <span className={styles.fileSize}>{sizeOf(file)}</span>
          {canInsert(file) && (
            <Button
              tone="link"
              className={styles.insert}
              aria-label={`Insert as text: ${visibleString(file.name)}`}
              onClick={() => onInsert(file)}
            >
              Insert as text
            </Button>
          )}
          <IconButton label={`Remove ${visibleString(file.name)}`} size="small" onClick={() => onRemove(file.id)}>
            <X size={13} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

/** Of a text what it costs is its length. */
function sizeOf({ kind, data }: DraftAttachment): string {
  return kind === 'image' ? formatBytes(Math.floor((data.length * 3) / 4)) : plural(data.length, 'character');
}

/** Characters of a text on its line. */
const SHOWN = 200;

/** What is not in the field: longer than it takes, or older than what is being written (CM6, CM7). */
export function AsideTexts() {
  const { draft } = useSession();
  const app = useApp();
  const { aside, text: inField } = useStore(draft.state);
  if (aside.length === 0) return null;

  // With a card its buttons go: the keyboard goes on in the field.
  function use(text: string): void {
    draft.useAside(text);
    app.page.focus('composer');
  }
  async function copy(text: string): Promise<void> {
    if (await app.page.copy(text)) app.toast({ level: 'success', text: 'Copied.' });
    else
      app.toast({ level: 'error', text: 'The text could not be put on the clipboard. It is still here; try again.' });
  }
  function discard(text: string): void {
    draft.discardAside(text);
    app.page.focus('composer');
    const undo = { label: 'Undo', onSelect: () => draft.keepAside(text) };
    app.toast({ level: 'info', text: 'The text is discarded.', action: undo });
  }

  return (
    <div className={styles.asides} role="group" aria-label="Texts that are not in the field">
      {aside.map((text, at) => (
        <Notice
          key={at}
          title={fitsField(text) ? 'An earlier draft' : `A text of ${plural(text.length, 'character')}`}
          actions={
            <>
              {fitsField(joined(text, inField)) && (
                <Button size="small" onClick={() => use(text)}>
                  Put into the field
                </Button>
              )}
              <Button size="small" onClick={() => void copy(text)}>
                Copy
              </Button>
              <Button size="small" onClick={() => discard(text)}>
                Discard
              </Button>
            </>
          }
        >
          <p className={styles.asideText} dir="auto">
            {text.slice(0, SHOWN)}
          </p>
          <p className={styles.asideWhy}>{whyOf(text)}</p>
        </Notice>
      ))}
    </div>
  );
}

function whyOf(text: string): string {
  if (fitsField(text)) return 'It waits here because you had begun another text.';
  const bound = `The field takes ${FIELD_BOUND}.`;
  if (text.length > MAX_TEXT_BYTES) return `${bound} Copy it into a file of the workspace, and name that file with @.`;
  return `${bound} Copy it and paste it into the field: then it is attached as a file.`;
}
