import { FileText, X } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import { Button, IconButton } from '../../ui';
import type { DraftAttachment } from '../../state/local-store';
import { formatBytes, plural } from '../../state/format';
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
