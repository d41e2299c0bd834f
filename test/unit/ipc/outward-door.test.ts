import { expect, it } from 'vitest';
import { OutwardDoor } from '../../../src/main/ipc/outward-door';

it('C3: a held key opens one window, and the next press after it another', () => {
  let now = 0;
  const door = new OutwardDoor(() => now);
  const held = Array.from({ length: 100 }, () => {
    now += 33;
    return door.mayOpen();
  });
  expect(held.filter(Boolean)).toHaveLength(1);
  now += 1_000;
  expect(door.mayOpen()).toBe(true);
});
