import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { MAX_WHY_CHARS } from '@shared/policy/approval';
import { MAX_FIELD_CHARS } from '../../state/draft-field';
import { useSettings } from '../../state/hooks';
import { formatKeys, isMac } from '../../state/keys';
import { Button, cx, Kbd, TextArea } from '../../ui';
import { fieldCost } from '../markdown/text-cost';
import styles from './approvals.module.css';
import { PacedText } from './paced-text';

/** Nanoseconds that the field of a command may take for a key (docs/specs/safety.md A2): letters that no font has together take it seconds. */
const MAX_KEY_NS = 40_000_000;

/** Whether a command can stand in the field in which it is edited, which Chromium lays out as a whole for each key. */
export function canEdit(command: string): boolean {
  return command.length <= MAX_FIELD_CHARS && fieldCost(command, MAX_KEY_NS) <= MAX_KEY_NS;
}

interface FormProps {
  isSending: boolean;
  onCancel: () => void;
}

/** Changes a command for which the field has room (`canEdit`). What comes of it is asked again, as that call. */
export function EditForm({
  command,
  onSubmit,
  ...form
}: FormProps & { command: string; onSubmit: (text: string) => void }) {
  const [text, setText] = useState(command);
  const [isRefused, setRefused] = useState(false);
  const fits = (next: string): boolean => {
    const hasRoom = canEdit(next);
    setRefused(!hasRoom);
    return hasRoom;
  };
  const change = (next: string): void => {
    const isLess = next.length < text.length;
    if (isLess) setRefused(false);
    if (isLess || fits(next)) setText(next);
  };
  return (
    <Form {...form} canSubmit={text.trim() !== ''} onSubmit={() => onSubmit(text)} needsMod>
      <Area label="The command" text={text} onText={change} fits={fits} isCode />
      {isRefused && (
        <p className={styles.problem} role="alert">
          This field has no room for so much text. Nothing was added.
        </p>
      )}
      <div className={styles.preview} aria-label="As it would run">
        <PacedText text={text} onlyWarned />
      </div>
      <p className={styles.hint}>You see it once more before it runs. The agent is told what you changed.</p>
      <FormButtons
        {...form}
        label="Use this command"
        keys="Mod+Enter"
        canSubmit={text.trim() !== ''}
        onSubmit={() => onSubmit(text)}
      />
    </Form>
  );
}

/** A "no" with words for the agent. */
export function WhyForm({ onSubmit, ...form }: FormProps & { onSubmit: (why: string) => void }) {
  const [text, setText] = useState('');
  return (
    <Form {...form} canSubmit={text.trim() !== ''} onSubmit={() => onSubmit(text)}>
      <Area label="Why not? The agent reads this." text={text} onText={setText} limit={MAX_WHY_CHARS} />
      <FormButtons
        {...form}
        label="Decline"
        keys="Enter"
        canSubmit={text.trim() !== ''}
        onSubmit={() => onSubmit(text)}
      />
    </Form>
  );
}

interface SubmitProps extends FormProps {
  canSubmit: boolean;
  onSubmit: () => void;
}

/** Enter sends one line, Ctrl+Enter a command, Escape goes back. No key of the card counts in here. */
function Form({
  canSubmit,
  onSubmit,
  onCancel,
  isSending,
  needsMod,
  children,
}: SubmitProps & { needsMod?: boolean; children: React.ReactNode }) {
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') onCancel();
    else if (event.key === 'Enter' && event.target instanceof HTMLTextAreaElement && !event.shiftKey) {
      if (needsMod && !(event.ctrlKey || event.metaKey)) return;
      if (canSubmit && !isSending && !event.repeat) onSubmit();
    } else return;
    event.preventDefault();
  }
  return (
    <div className={styles.form} data-card-form onKeyDown={onKeyDown}>
      {children}
    </div>
  );
}

/** `keys`: what sends it, as the form hears it. */
function FormButtons({
  label,
  keys,
  canSubmit,
  isSending,
  onSubmit,
  onCancel,
}: SubmitProps & Record<'label' | 'keys', string>) {
  const mac = useSettings((state) => isMac(state.platform));
  return (
    <div className={styles.actions}>
      {/* Not disabled while it sends: it would lose the focus, and the card with it what leads to the composer. */}
      <Button
        disabled={!canSubmit}
        aria-disabled={isSending || undefined}
        aria-keyshortcuts={keys.replace('Mod', mac ? 'Meta' : 'Control')}
        onClick={() => !isSending && onSubmit()}
      >
        {label}{' '}
        <span aria-hidden>
          <Kbd>{formatKeys(keys, mac)}</Kbd>
        </span>
      </Button>
      <Button className={styles.back} onClick={onCancel}>
        Back <Kbd>Esc</Kbd>
      </Button>
    </div>
  );
}

interface AreaProps {
  label: string;
  text: string;
  onText: (text: string) => void;
  limit?: number;
  isCode?: boolean;
  /** Asked before a text is pasted: with what there would be. */
  fits?: (text: string) => boolean;
}

function Area({ label, text, onText, limit, isCode, fits }: AreaProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, []);
  const rows = Math.min(12, Math.max(isCode ? 2 : 1, text.split('\n').length));
  return (
    <TextArea
      ref={field}
      aria-label={label}
      placeholder={isCode ? undefined : label}
      className={cx(isCode && styles.editor)}
      dir="ltr"
      rows={rows}
      spellCheck={!isCode}
      maxLength={limit}
      value={text}
      onChange={(event) => onText(event.target.value)}
      onPaste={(event) => {
        const { value, selectionStart: from, selectionEnd: to } = event.currentTarget;
        const pasted = event.clipboardData.getData('text/plain');
        if (fits?.(value.slice(0, from) + pasted + value.slice(to)) === false) event.preventDefault();
      }}
    />
  );
}
