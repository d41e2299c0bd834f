import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTable, judge, judgeError, type Target } from '../../support/figures';

const figure = (value: number, target: Target, peer?: number) =>
  judge(2, { name: 'x', value, unit: 'ms', peer, target });

describe('figures', () => {
  it('passes exactly when the value holds its bound', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (value, bound) => {
        expect(figure(value, { on: 'value', op: '<=', bound }).pass).toBe(value <= bound);
        expect(figure(value, { on: 'value', op: '>=', bound }).pass).toBe(value >= bound);
        expect(figure(value, { on: 'value', op: '=', bound }).pass).toBe(value === bound);
      }),
    );
  });

  it('forms the ratio as peer / value and judges by it when the target says so', () => {
    expect(figure(2, { on: 'ratio', op: '>=', bound: 10 }, 20)).toMatchObject({
      ratio: 10,
      pass: true,
      target: 'ratio >= 10',
    });
    expect(figure(2, { on: 'ratio', op: '>=', bound: 10 }, 19)).toMatchObject({ ratio: 9.5, pass: false });
  });

  it('never passes what could not be measured', () => {
    expect(figure(NaN, { on: 'value', op: '<=', bound: 1 }).pass).toBe(false);
    expect(figure(2, { on: 'ratio', op: '>=', bound: 0 }).pass).toBe(false);
    expect(figure(0, { on: 'ratio', op: '>=', bound: 0 }, 5)).toMatchObject({ ratio: null, pass: false });
    expect(figure(1, { on: 'ratio', op: '>=', bound: 0 }, NaN).pass).toBe(false);
  });

  it('turns a thrown error into a failed figure that keeps its message', () => {
    const failed = judgeError({ name: 'kill', issue: 2 }, new TypeError('boom'));
    expect(failed).toMatchObject({
      issue: 2,
      name: 'kill',
      value: 1,
      unit: 'errors',
      pass: false,
      note: 'TypeError: boom',
    });
  });

  it('prints one row a figure', () => {
    const table = formatTable([
      figure(1.23456, { on: 'value', op: '<=', bound: 1 }, 5),
      figure(7, { on: 'value', op: '=', bound: 7 }),
    ]);
    expect(table.split('\n')).toHaveLength(3);
    expect(table).toMatch(/FAIL +#2 +x +1\.235 ms +5 +4\.05x +<= 1 ms/);
  });
});
