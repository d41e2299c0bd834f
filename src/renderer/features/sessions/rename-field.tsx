import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { MAX_NAME_CHARS } from '@shared/cut-text';
import type { SessionSummary } from '@shared/types';
import { Input, leaveFocus } from '../../ui';
import { useApp } from '../../state/hooks';
import { renameSession } from '../../actions/sessions';

/** Edits a title in place: Enter and leaving keep it, Escape does not. */
export function RenameField({ session, className }: { session: SessionSummary; className?: string }) {
  const app = useApp();
  const [title, setTitle] = useState(session.title);
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => field.current?.select(), []);
  useLayoutEffect(() => leaveFocus(field.current), []);

  function finish(keep: boolean): void {
    if (done.current) return;
    done.current = true;
    if (keep) void renameSession(app, session, title);
    else app.ui.setState({ renaming: null });
  }

  return (
    <Input
      ref={field}
      className={className}
      dir="auto"
      aria-label="Session title"
      value={title}
      maxLength={MAX_NAME_CHARS}
      autoFocus
      onChange={(event) => setTitle(event.target.value)}
      onBlur={() => finish(true)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter') finish(true);
        if (event.key === 'Escape') finish(false);
        event.stopPropagation();
      }}
    />
  );
}
