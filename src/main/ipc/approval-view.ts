import {
  type ApprovalEvent,
  type ApprovalRequest,
  type ApprovalRule,
  type ApprovalScope,
  type ApprovalSubject,
  type ApprovalView,
  describeScope,
  offeredDecisions,
  type RuleView,
} from '@shared/policy/approval';
import type { ApprovalChange } from '@shared/session-state/events';

/** An approval as its card shows it: everything that would happen, and the answers that make sense. */
function toApprovalView(request: ApprovalRequest): ApprovalView {
  return {
    id: request.id,
    sessionId: request.sessionId,
    toolCallId: request.toolCallId,
    tool: request.tool,
    title: request.title,
    subject: toSubject(request),
    contentHash: request.contentHash,
    createdAt: request.createdAt,
    choices: offeredDecisions(request),
  };
}

/** What a session's window is told of a question; null: nothing. */
export function approvalChangeOf(event: ApprovalEvent): { sessionId: string; change: ApprovalChange } | null {
  if (event.type === 'requested') {
    const request = toApprovalView(event.request);
    return { sessionId: request.sessionId, change: { type: 'approval_requested', request } };
  }
  if (event.type === 'asking') {
    const { sessionId, id, isAsking } = event;
    return { sessionId, change: { type: 'approval_asking', approvalId: id, isAsking } };
  }
  if (event.type !== 'settled') return null;
  const { sessionId, id, outcome } = event;
  const decision = outcome === 'allowed' ? 'once' : 'deny';
  return { sessionId, change: { type: 'approval_resolved', approvalId: id, decision } };
}

const TOOLS: Record<ApprovalScope['kind'], string> = {
  command: 'bash',
  folder: 'write, edit',
  tool: 'tool',
  reading: 'read',
};

export function toRuleView(rule: ApprovalRule, rest: RuleView['rest']): RuleView {
  const { scope } = rule;
  return {
    id: rule.hash,
    tool: TOOLS[scope.kind],
    what: scope.kind === 'command' ? scope.command : describeScope(scope),
    ...(scope.kind === 'command' ? { folder: scope.cwd, timeoutMs: scope.timeoutMs } : {}),
    ...(scope.kind === 'tool' ? { folder: scope.folder } : {}),
    createdAt: Date.parse(rule.createdAt),
    rest,
  };
}

function toSubject({ exact, reason, edited, canEdit, isRestricted }: ApprovalRequest): ApprovalSubject {
  switch (exact.kind) {
    case 'command':
      return { ...exact, edited, canEdit };
    case 'diff': {
      const { kind, path, diff, created, outside, onMount, added, removed } = exact;
      // Where the folder is not trusted no guidance is read.
      const guidance = exact.guidance === 'now' && isRestricted ? 'other' : exact.guidance;
      return { kind, path, diff, created, outside, onMount, added, removed, guidance };
    }
    case 'path':
      return { ...exact, why: reason };
    case 'call':
      return exact;
  }
}
