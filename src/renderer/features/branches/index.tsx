import type { BranchDialog } from '../../state/branch-state';
import { useApp, useSession, useUi } from '../../state/hooks';
import { BringOverSheet } from './bring-over-sheet';
import { ContextDialog } from './context-dialog';
import { ElsewhereDialog } from './elsewhere-dialog';
import { HandoffDialog } from './handoff-dialog';
import { LabelDialog } from './label-dialog';
import { LeaveDialog } from './leave-dialog';

/** What is asked and shown about the branches of the shown session. */
export function BranchDialogs() {
  const session = useSession();
  const app = useApp();
  const dialog = useUi((ui) => ui.branchDialog);
  // Another one may have been opened since.
  const close = (): void => {
    if (app.ui.getState().branchDialog === dialog) app.ui.setState({ branchDialog: null });
  };
  if (!dialog || sessionOf(dialog) !== session.id) return null;
  switch (dialog.kind) {
    case 'leave':
      return <LeaveDialog question={dialog} onClose={close} />;
    case 'elsewhere':
      return <ElsewhereDialog found={dialog.found} onClose={close} />;
    case 'bringOver':
      return <BringOverSheet {...dialog} onClose={close} />;
    case 'label':
      return <LabelDialog entryId={dialog.entryId} onClose={close} />;
    case 'handoff':
      return <HandoffDialog question={dialog} onClose={close} />;
    case 'context':
      return <ContextDialog entryId={dialog.entryId} onClose={close} />;
  }
}

function sessionOf(dialog: BranchDialog): string {
  if (dialog.kind === 'leave') return dialog.to.sessionId;
  return dialog.kind === 'elsewhere' ? dialog.found.sessionId : dialog.sessionId;
}
