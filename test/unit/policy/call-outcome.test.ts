import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECLINED, DECLINED_IN_RESTRICTED, declinedBecause } from '@shared/policy/approval';
import { endOfCall, STOPPED_BEFORE_CALL, withOutcome, type CallOutcome } from '@shared/policy/call-outcome';

const failed = (text: string, details?: unknown) => ({ isError: true, content: [{ type: 'text', text }], details });
const outcomes: CallOutcome[] = ['ran', 'failed', 'declined', 'stopped', 'notRun', 'interrupted'];

describe('SU23: what became of a call', () => {
  it('is what was recorded, whatever the text says', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...outcomes),
        fc.constantFrom(DECLINED, STOPPED_BEFORE_CALL, 'no such file'),
        (outcome, text) => {
          expect(endOfCall(failed(text, withOutcome({ diff: 'x' }, outcome))).outcome).toBe(outcome);
        },
      ),
    );
    expect(endOfCall(failed(STOPPED_BEFORE_CALL, withOutcome({}, 'notRun')))).toEqual({
      outcome: 'notRun',
      note: 'stopped',
    });
    expect(endOfCall(failed(DECLINED, withOutcome({}, 'failed')))).toEqual({ outcome: 'failed', note: 'failed' });
    // One that did not fail ran.
    expect(endOfCall({ isError: false, details: withOutcome({}, 'declined') }).outcome).toBe('ran');
    // Nothing that a file could say as an outcome besides.
    for (const espalier of [{ outcome: 'declined by the person' }, { outcome: ['declined'] }, 'declined', null])
      expect(endOfCall(failed('no', { espalier })).outcome).toBe('failed');
  });

  it('is added to what the details of a result hold', () => {
    expect(withOutcome({ exitCode: 0, espalier: { edited: { ran: 'ls' } } }, 'ran')).toEqual({
      exitCode: 0,
      espalier: { edited: { ran: 'ls' }, outcome: 'ran' },
    });
    expect(withOutcome(undefined, 'notRun')).toEqual({ espalier: { outcome: 'notRun' } });
  });

  it('of an older result is read from our words as a whole: what only begins with them is the text of a tool', () => {
    for (const text of [
      DECLINED,
      declinedBecause('not now'),
      `${DECLINED}\n${DECLINED_IN_RESTRICTED}`,
      `${declinedBecause('a\nb')}\n${DECLINED_IN_RESTRICTED}`,
    ])
      expect(endOfCall(failed(text)).outcome).toBe('declined');
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (before, behind) => {
        // A path that poses as a decline, and what a tool says of it.
        for (const text of [
          `${before}${DECLINED} ${behind} does not exist.`,
          `${before}The person declined this${behind} does not exist.`,
        ])
          expect(endOfCall(failed(text)).outcome).toBe('failed');
      }),
    );
  });
});
