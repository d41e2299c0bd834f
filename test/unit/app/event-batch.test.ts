import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isEvent, isEventBatch } from '../../../src/shared/ipc/event-batch';

it('takes a batch with any events that have a type', () => {
  expect(isEventBatch({ seq: 0, events: [] })).toBe(true);
  expect(isEventBatch({ seq: 7, events: [{ type: 'notice', notice: {} }, { type: 'what a newer main says' }] })).toBe(
    true,
  );
});

it.each([
  undefined,
  null,
  [],
  'text',
  { seq: -1, events: [] },
  { seq: 1.5, events: [] },
  { seq: '1', events: [] },
  { events: [] },
  { seq: 1 },
  { seq: 1, events: {} },
])('refuses %j', (value) => {
  expect(isEventBatch(value)).toBe(false);
});

it.each([null, 'text', [], {}, { type: 1 }])('%j is no event', (value) => {
  expect(isEvent(value)).toBe(false);
});

it('never throws', () => {
  fc.assert(fc.property(fc.anything(), (value) => typeof isEventBatch(value) === 'boolean'));
});
