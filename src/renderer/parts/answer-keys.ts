/** A key means one thing in all approval cards: that of an answer which a card does not offer does nothing there (docs/specs/safety.md C2). */
export const ANSWER_KEYS = { once: '1', session: '2', always: '3', edit: '4', why: '5', deny: 'Escape' } as const;

/** The same in words, as the help lists them. */
export const ANSWER_LINES: readonly { what: string; keys: string[] }[] = [
  { what: 'Run, write or allow once', keys: [ANSWER_KEYS.once] },
  { what: 'Allow until you quit, where offered', keys: [ANSWER_KEYS.session] },
  { what: 'Always allow, where offered', keys: [ANSWER_KEYS.always] },
  { what: 'Edit the command', keys: [ANSWER_KEYS.edit] },
  { what: 'Decline and say why', keys: [ANSWER_KEYS.why] },
  { what: 'Decline', keys: [ANSWER_KEYS.deny] },
];
