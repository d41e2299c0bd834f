import { useState } from 'react';
import type { ApprovalDecision, ApprovalView } from '@shared/policy/approval';
import { visibleString } from '@shared/policy/visible-text';
import { toAppError } from '../../bridge';
import { useApp } from '../../state/hooks';
import { noteAnswer, noteRefused } from './composer-keys';

/** Sends an answer, or another command, with the hash of what is shown; `problem`: why it was refused. */
export function useAnswer(request: ApprovalView) {
  const { id: approvalId, contentHash } = request;
  const app = useApp();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  async function attempt(task: () => Promise<void>, done?: () => void): Promise<void> {
    noteAnswer(request);
    setSending(true);
    setProblem(null);
    try {
      await task();
      done?.();
    } catch (cause) {
      noteRefused();
      setProblem(visibleString(toAppError(cause).message));
      setSending(false);
    }
  }
  const send = {
    answer: (decision: ApprovalDecision, why?: string) =>
      void attempt(() => app.client.request('approvals.answer', { approvalId, contentHash, decision, why })),
    edit: (command: string, done: () => void) =>
      void attempt(
        () => app.client.request('approvals.edit', { approvalId, contentHash, command }),
        () => {
          setSending(false);
          done();
        },
      ),
    showQuestion: () => void app.ask('approvals.showQuestion', {}),
  };
  return { send, isSending, problem };
}
