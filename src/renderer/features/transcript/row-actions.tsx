import { memo, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { Check, Copy, Ellipsis, GitBranchPlus, MessageSquarePlus, Pencil, X } from 'lucide-react';
import { act, actionOfKey, labelOf, menuItems, MENUS, verdictOn } from '../../actions/menus';
import { useApp, useSituation } from '../../state/hooks';
import { DropdownMenu, type MenuItem } from '../../ui';
import { useCopied } from '../markdown/environment';
import { useHasRested, useTranscript } from './context';
import styles from './transcript.module.css';
import type { Row } from '@shared/session-state/state';

interface RowActionsProps {
  row: Row;
  /** The words of the message. */
  text: string | (() => string);
  /** Where a branch or a fork after this message begins: behind the results of its calls. */
  endId?: string;
}

/**
 * What can be done with a message, beside its upper right corner (TS13). Their names are drawn by style sheet: a tooltip each would
 * cost more than the row (QP8). For the same reason rows that are only scrolled past have none.
 */
export const RowActions = memo(function RowActions(props: RowActionsProps) {
  return useHasRested() ? <Toolbar {...props} /> : null;
});

const ICONS = { 'entry.edit': Pencil, 'entry.again': MessageSquarePlus, 'entry.branch': GitBranchPlus } as const;
const COPY_NAMES = { idle: 'Copy message', copied: 'Copied', failed: 'Could not copy' };

function Toolbar({ row, text, endId }: RowActionsProps) {
  const app = useApp();
  const { session, isRead } = useTranscript();
  useSituation(session.id);
  const [copied, copy] = useCopied(text);
  const [isOwn, isUnsent] = [row.kind === 'user', row.tokens === 0];
  const target = { sessionId: session.id, id: row.id, endId, isOwn, isUnsent, isRead };
  function serveKey(event: KeyboardEvent<HTMLElement>): void {
    // What is typed into its menu comes here as well.
    if (event.defaultPrevented || !event.currentTarget.contains(event.target as Node)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const id = actionOfKey(app, 'entry', event.key) ?? actionOfKey(app, 'tools', event.key);
    if (!id) return walk(event);
    event.preventDefault();
    act(app, id, target);
  }
  return (
    <div className={styles.actions} role="toolbar" aria-label="Message actions" onKeyDown={serveKey}>
      {/* The toolbar is one stop of Tab; arrows walk in it, letters act. */}
      <button type="button" aria-label={COPY_NAMES[copied]} data-hint={COPY_NAMES[copied]} tabIndex={0} onClick={copy}>
        {copied === 'idle' ? <Copy size={13} /> : copied === 'copied' ? <Check size={13} /> : <X size={13} />}
      </button>
      {MENUS.tools.map((id) => {
        const verdict = verdictOn(app, id, target);
        const Icon = ICONS[id];
        const name = labelOf(app, id, target);
        return (
          verdict !== false && (
            <button
              key={id}
              type="button"
              aria-label={name}
              // Pressed all the same, it says why it can't be.
              aria-disabled={verdict !== true || undefined}
              data-hint={verdict === true ? name : `${name}: ${verdict.hint}`}
              tabIndex={-1}
              onClick={() => act(app, id, target)}
            >
              <Icon size={13} />
            </button>
          )
        );
      })}
      <More items={() => menuItems(app, 'entry', target)} />
    </div>
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

/** Arrows walk the toolbar, which stands or lies. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const isOn = event.key === 'ArrowRight' || event.key === 'ArrowDown';
  const by = isOn ? 1 : event.key === 'ArrowLeft' || event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(':scope > button')];
  const next = buttons[buttons.indexOf(event.target as HTMLElement) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
