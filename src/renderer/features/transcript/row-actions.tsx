import { memo, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { Check, Copy, Ellipsis, GitBranchPlus, Pencil, RotateCcw, X } from 'lucide-react';
import { DropdownMenu, type MenuItem } from '../../ui';
import { useCopied } from '../markdown';
import { useTranscript } from './context';
import type { MessageActions } from './types';
import { useHasRested } from './use-motion';
import styles from './transcript.module.css';
import type { Row } from '@shared/session-state/state';

interface RowActionsProps {
  row: Row;
  /** The words of the message. */
  text: string | (() => string);
  /** Where a branch or a fork after this message begins: behind the results of its calls. */
  endId?: string;
}

const BUSY_HINT = 'when the agent rests';

/**
 * What can be done with a message, over its upper right corner. Their names are drawn by style sheet: a tooltip each would
 * cost more than the row (QP8). For the same reason rows that are only scrolled past have none.
 */
export const RowActions = memo(function RowActions(props: RowActionsProps) {
  return useHasRested() ? <Toolbar {...props} /> : null;
});

function Toolbar({ row, text, endId = row.id }: RowActionsProps) {
  const { tree, busy } = useTranscript();
  const [copied, copy] = useCopied(text);
  const names = { idle: 'Copy message', copied: 'Copied', failed: 'Could not copy' };
  const isOwn = row.kind === 'user';
  return (
    <div className={styles.actions} role="toolbar" aria-label="Message actions" onKeyDown={walk}>
      <Action name={names[copied]} first onPress={copy}>
        {copied === 'idle' ? <Copy size={13} /> : copied === 'copied' ? <Check size={13} /> : <X size={13} />}
      </Action>
      {tree && isOwn && (
        <Action name="Edit and resend" blocked={busy} onPress={() => tree.edit(row.id)}>
          <Pencil size={13} />
        </Action>
      )}
      {tree && !isOwn && (
        <Action name="Answer again" blocked={busy} onPress={() => tree.retry(row.id)}>
          <RotateCcw size={13} />
        </Action>
      )}
      {tree && !isOwn && (
        <Action name="Branch from here" blocked={busy} onPress={() => tree.branch(endId)}>
          <GitBranchPlus size={13} />
        </Action>
      )}
      {tree && <More items={() => menuOf(tree, row, endId, busy)} />}
    </div>
  );
}

interface ActionProps {
  name: string;
  /** The toolbar is one stop of Tab; arrows walk in it. */
  first?: boolean;
  /** Pressed all the same, it says why it can't be. */
  blocked?: boolean;
  onPress: () => void;
  children: ReactNode;
}

function Action({ name, first, blocked, onPress, children }: ActionProps) {
  return (
    <button
      type="button"
      aria-label={name}
      aria-disabled={blocked || undefined}
      data-hint={blocked ? `${name}: ${BUSY_HINT}` : name}
      tabIndex={first ? 0 : -1}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** The menu is made when it opens for the first time: most rows only pass by. */
function More({ items }: { items: () => MenuItem[] }) {
  const [open, setOpen] = useState<boolean | null>(null);
  const look = { type: 'button', 'aria-label': 'More actions', 'data-hint': 'More', tabIndex: -1 } as const;
  if (open === null) {
    return (
      <button {...look} aria-haspopup="menu" aria-expanded={false} onClick={() => setOpen(true)}>
        <Ellipsis size={14} />
      </button>
    );
  }
  return (
    <DropdownMenu
      open={open}
      onOpenChange={setOpen}
      align="end"
      items={open ? items() : []}
      trigger={
        <button {...look}>
          <Ellipsis size={14} />
        </button>
      }
    />
  );
}

function menuOf(tree: MessageActions, row: Row, endId: string, busy: boolean): MenuItem[] {
  const isOwn = row.kind === 'user';
  const hint = busy ? BUSY_HINT : undefined;
  return [
    { id: 'fork', label: 'Fork to a new session', onSelect: () => tree.fork(isOwn ? row.id : endId) },
    { id: 'reference', label: 'Copy a reference', onSelect: () => tree.copyReference(row.id) },
    { id: 'label', label: 'Label…', onSelect: () => tree.label(row.id) },
    ...(isOwn ? [] : [{ id: 'seen', label: 'What the model saw here', onSelect: () => tree.seen(row.id) }]),
    { kind: 'separator', id: 'line' },
    { id: 'hide', label: 'Hide this branch', hint, onSelect: () => tree.hide(row.id) },
  ];
}

/** Left and right walk the toolbar. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (by === 0) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(':scope > button')];
  const next = buttons[buttons.indexOf(event.target as HTMLElement) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
