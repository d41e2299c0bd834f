import type { ApprovalRequest as ApprovalView, ApprovalRule as RuleView, ApprovalSubject } from '@shared/ipc/types';
import {
  describeScope,
  offeredDecisions,
  type ApprovalRequest,
  type ApprovalRule,
  type ApprovalScope,
} from '@shared/policy/approval';

/** An approval as its card shows it: everything that would happen, and the answers that make sense. */
export function toApprovalView(request: ApprovalRequest): ApprovalView {
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

const TOOLS: Record<ApprovalScope['kind'], string> = {
  command: 'bash',
  folder: 'write, edit',
  reading: 'read',
};

export function toRuleView(rule: ApprovalRule): RuleView {
  return {
    id: rule.hash,
    tool: TOOLS[rule.scope.kind],
    what: rule.scope.kind === 'command' ? rule.scope.command : describeScope(rule.scope),
    ...(rule.scope.kind === 'command' ? { folder: rule.scope.cwd } : {}),
    createdAt: Date.parse(rule.createdAt),
  };
}

function toSubject({ exact, reason, edited, canEdit }: ApprovalRequest): ApprovalSubject {
  switch (exact.kind) {
    case 'command':
      return { ...exact, edited, canEdit };
    case 'diff': {
      const { kind, path, diff, created, outside, added, removed } = exact;
      return { kind, path, diff, created, outside, added, removed };
    }
    case 'path':
      return { ...exact, why: reason };
    case 'call':
      return exact;
  }
}
