import { FileText, X } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import { IconButton } from '../../ui';
import type { DraftAttachment } from '../../state/local-store';
import { formatBytes } from '../../state/format';
import styles from './composer.module.css';

interface AttachmentChipsProps {
  attachments: readonly DraftAttachment[];
  onRemove: (id: string) => void;
}

/** The files that go with the next message. */
export function AttachmentChips({ attachments, onRemove }: AttachmentChipsProps) {
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
          <span className={styles.fileSize}>{formatBytes(sizeOf(file))}</span>
          <IconButton label={`Remove ${visibleString(file.name)}`} size="small" onClick={() => onRemove(file.id)}>
            <X size={13} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function sizeOf(file: DraftAttachment): number {
  return file.kind === 'image' ? Math.floor((file.data.length * 3) / 4) : file.data.length;
}
