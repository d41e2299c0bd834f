import type { ApprovalRequest, ApprovalScope } from '@shared/policy/approval';
import type { ConsentQuestion } from '../consent/consent';

/**
 * What main asks before changes of a whole folder go through without a question (docs/specs/safety.md C3). One exact command needs
 * none: it can do nothing that was not shown.
 */
export function folderQuestion(
  scope: Extract<ApprovalScope, { kind: 'folder' }>,
  how: 'session' | 'always',
  { tool, exact }: Pick<ApprovalRequest, 'tool' | 'exact'>,
): ConsentQuestion {
  const isAlways = how === 'always';
  return {
    kind: 'folder-scope',
    title: isAlways ? 'Always allow changes in this folder?' : 'Allow changes in this folder for the session?',
    subject: scope.folder,
    paragraphs: [
      `The agent may then create, change and overwrite every file in it and below without asking, ${
        isAlways
          ? 'in all sessions, until you remove the rule in Settings, Tools.'
          : 'in this session, until you quit Espalier.'
      }`,
    ],
    facts: exact.kind === 'diff' ? [{ label: `Requested (${tool})`, value: exact.path }] : [],
    choices: [
      { id: 'yes', label: isAlways ? 'Always allow' : 'Allow for the session', tone: isAlways ? 'danger' : 'primary' },
    ],
    cancel: 'Cancel',
  };
}
