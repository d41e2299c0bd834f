import { Approvals } from '../approvals/approvals';
import type { AskConsent } from '../consent/consent';
import type { WorkerLooks } from '../files/looks';
import { approvalChangeOf } from '../ipc/approval-view';
import type { AppPaths } from '../paths';
import type { SessionHost } from '../session/host/session-host';
import { readingQuestion } from '../trust/trust-sheet';

/** The questions about calls, and the rules that stay; what changes is told to its session. */
export async function openApprovals(
  paths: AppPaths,
  ask: AskConsent,
  looks: WorkerLooks,
  host: () => SessionHost,
): Promise<Approvals> {
  return Approvals.open({
    file: paths.approvals,
    ask,
    readingQuestion: (folder) => readingQuestion(folder, paths.data, looks),
    onChange: (event) => {
      const told = approvalChangeOf(event);
      if (told) host().tellApproval(told.sessionId, told.change);
    },
  });
}
