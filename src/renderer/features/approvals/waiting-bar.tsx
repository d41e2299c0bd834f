import type { ApprovalSubject, ApprovalView } from '@shared/policy/approval';
import { blocksOf } from '@shared/session/records/message-text';
import { newestReply } from '../../actions/sessions';
import { ActionButton } from '../../parts/action-button';
import { OffScreenBar } from '../../parts/off-screen';
import { useLive, useSession } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';

const WHAT: Record<ApprovalSubject['kind'], string> = {
  command: 'A command',
  diff: 'A change',
  path: 'A file',
  call: 'A tool',
};

/** Says that a question waits while its card is not on screen, and leads to it. */
export function WaitingBar() {
  const session = useSession();
  const request = useLive(session, (live) => live.approvals[0]);
  return (
    <OffScreenBar
      of={request?.id ?? null}
      tone="waits"
      action={<ActionButton id="session.question" target={session} size="small" />}
    >
      {request && `${WHAT[request.subject.kind]} waits for your answer${placeOf(session, request)}`}
    </OffScreenBar>
  );
}

/** ` (1 of 7)`: which of the calls of its reply asks. */
function placeOf(session: OpenSession, { toolCallId }: ApprovalView): string {
  const reply = session.entry(newestReply(session) ?? '');
  const { content } = (reply && 'message' in reply ? reply.message : {}) as { content?: unknown };
  const calls = blocksOf(content).filter((block) => block.type === 'toolCall');
  const at = calls.findIndex(({ id }) => id === toolCallId);
  return at < 0 || calls.length < 2 ? '' : ` (call ${at + 1} of ${calls.length})`;
}
