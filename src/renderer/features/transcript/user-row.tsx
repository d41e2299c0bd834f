import { memo, type ReactNode, useState } from 'react';
import { Paperclip } from 'lucide-react';
import type { Row } from '@shared/session-state/state';
import type { SessionEntry } from '@shared/session/records/entry';
import { attachedFile, BY_EXTENSION, isOfExtension } from '@shared/session/records/message-text';
import type { Attachment } from '@shared/types';
import { fullMoment } from '../../state/format';
import type { Memory } from '../../state/group-rows';
import { isInlineImage, MissingPicture, Picture } from '../markdown/picture';
import { Fold } from './fold';
import { messageOf, partsOf, shortName } from './message-text';
import { useMoment } from './moment';
import { PromptText } from './prompt-text';
import promptStyles from './prompt.module.css';
import { RowActions } from './row-actions';
import { RowTop, useIsPinned } from './row-top';
import { OutputText } from './terminal';
import styles from './transcript.module.css';
import { UnknownParts } from './unknown-rows';

const WHAT_IS_SENT: Record<Memory, string> = { summarised: 'summarised, not sent', repeated: 'kept word for word' };

interface SaidByProps {
  who?: string;
  /** Unix milliseconds. */
  time: number;
  memory?: Memory | null;
  /** Its row, once there is one. */
  row?: Row | null;
}

/** Who wrote a prompt, and when (TS12). */
function SaidBy({ who = 'You', time, memory = null, row = null }: SaidByProps) {
  const moment = useMoment(time);
  // It is why the model gets it.
  const isPinned = useIsPinned(row);
  return (
    <div className={promptStyles.saidBy} data-chrome>
      <span>{who}</span>
      {moment !== '' && <time title={fullMoment(time)}>{moment}</time>}
      {isPinned && <span>pinned</span>}
      {memory !== null && !(isPinned && memory === 'repeated') && <span>{WHAT_IS_SENT[memory]}</span>}
    </div>
  );
}

interface UserRowProps {
  entry: SessionEntry;
  row: Row;
  memory: Memory | null;
}

/** What the person sent. */
export const UserRow = memo(function UserRow({ entry, row, memory }: UserRowProps) {
  const { texts, images, missing, unknown } = partsOf(messageOf(entry)?.content);
  const attached = texts.map(attachedFile);
  const files = attached.flatMap((file) => (file ? [{ name: file.name, text: file.data }] : []));
  const text = texts.filter((_, at) => !attached[at]).join('\n\n');
  const pictures = images.map((image) => `data:${image.mimeType};base64,${image.data}`);
  return (
    <>
      <RowTop row={row} />
      <UserBubble text={text} id={row.id} files={files} pictures={pictures} missing={missing}>
        <RowActions row={row} text={text} />
        <SaidBy
          {...(isOfExtension(messageOf(entry)) ? { who: BY_EXTENSION } : {})}
          time={row.time}
          memory={memory}
          row={row}
        />
      </UserBubble>
      <UnknownParts parts={unknown} />
    </>
  );
});

/** A prompt on its way. */
export function PendingUser({
  text,
  itemId,
  attachments,
}: {
  text: string;
  itemId: string;
  attachments: readonly Attachment[];
}) {
  const files = attachments
    .filter((item) => item.kind === 'text')
    .map((item) => ({ name: item.name, text: item.data }));
  const pictures = attachments
    .filter((item) => item.kind === 'image')
    .map((item) => `data:${item.mimeType};base64,${item.data}`);
  const [time] = useState(() => Date.now());
  return (
    <UserBubble text={text} id={itemId} files={files} pictures={pictures}>
      <SaidBy time={time} />
    </UserBubble>
  );
}

interface UserBubbleProps {
  text: string;
  /** Of its entry, or of the one that it will be. */
  id: string;
  files: readonly { name: string; text: string }[];
  pictures: readonly string[];
  /** Pictures that are not in the file. */
  missing?: number;
  /** Whose it is, and what can be done with it. */
  children?: ReactNode;
}

function UserBubble({ text, id, files, pictures, missing = 0, children }: UserBubbleProps) {
  return (
    <div className={styles.user}>
      {children}
      {text !== '' && <PromptText text={text} id={id} />}
      {pictures.length + missing > 0 && (
        <div className={styles.pictures}>
          {pictures.map((src, index) =>
            isInlineImage(src) ? (
              <Picture key={index} src={src} alt={`Attached picture ${index + 1}`} />
            ) : (
              <span key={index}>An image that can’t be shown</span>
            ),
          )}
          {Array.from({ length: missing }, (_, index) => (
            <MissingPicture key={`missing ${index}`} />
          ))}
        </div>
      )}
      {files.map((file, index) => (
        <Fold
          key={index}
          className={styles.file}
          label={
            <>
              <Paperclip size={13} aria-hidden /> {shortName(file.name)}
            </>
          }
        >
          {() => <OutputText text={file.text} label={shortName(file.name)} />}
        </Fold>
      ))}
    </div>
  );
}
