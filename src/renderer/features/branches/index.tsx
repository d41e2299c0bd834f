import { closeBranchDialog } from '../../state/tree-actions';
import { useApp, useUi } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { BringOverSheet } from './bring-over-sheet';
import { ContextDialog } from './context-dialog';
import { ElsewhereDialog } from './elsewhere-dialog';
import { HandoffDialog } from './handoff-dialog';
import { LabelDialog } from './label-dialog';
import { LeaveDialog } from './leave-dialog';

/** What is asked and shown about the branches of the shown session. */
export function BranchDialogs({ session }: { session: OpenSession }) {
  const app = useApp();
  const dialog = useUi((ui) => ui.branchDialog);
  // Another one may have been opened since.
  const close = (): void => {
    if (app.ui.getState().branchDialog === dialog) closeBranchDialog(app);
  };
  switch (dialog?.kind) {
    case 'leave':
      if (dialog.to.sessionId !== session.id) return null;
      return <LeaveDialog session={session} question={dialog} onClose={close} />;
    case 'elsewhere':
      if (dialog.found.sessionId !== session.id) return null;
      return <ElsewhereDialog found={dialog.found} onClose={close} />;
    case 'bringOver':
      if (dialog.sessionId !== session.id) return null;
      return <BringOverSheet session={session} {...dialog} onClose={close} />;
    case 'label':
      if (dialog.sessionId !== session.id) return null;
      return <LabelDialog session={session} entryId={dialog.entryId} onClose={close} />;
    case 'handoff':
      if (dialog.sessionId !== session.id) return null;
      return <HandoffDialog session={session} question={dialog} onClose={close} />;
    case 'context':
      if (dialog.sessionId !== session.id) return null;
      return <ContextDialog session={session} entryId={dialog.entryId} onClose={close} />;
    default:
      return null;
  }
}
