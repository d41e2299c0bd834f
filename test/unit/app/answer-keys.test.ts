import { expect, it } from 'vitest';
import type { ApprovalView } from '@shared/policy/approval';
import { buttonsOf } from '../../../src/renderer/features/approvals/card-words';
import { ANSWER_KEYS, ANSWER_LINES } from '../../../src/renderer/state/keys';

it('C2: the help lists each key that an approval card answers to, as it is', () => {
  const card: Pick<ApprovalView, 'subject' | 'choices'> = {
    subject: { kind: 'command', command: 'ls', cwd: '/w', timeoutMs: 1, canEdit: true },
    choices: ['deny', 'once', 'session', 'always'],
  };
  const { main, quiet } = buttonsOf(card as ApprovalView, false);
  const keys = [...main, ...quiet].map(({ key }) => key);
  expect(ANSWER_LINES.map((line) => line.keys)).toEqual([...keys, ANSWER_KEYS.deny].map((key) => [key]));
});
