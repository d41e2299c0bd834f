/** C4: a key that comes while a card is out of view answers nothing; one that is in view as far as it can be holds none. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { bringInSight } from '../../../src/renderer/features/approvals/card-text';

beforeEach(() => void vi.stubGlobal('window', { innerHeight: 300 }));
afterEach(() => void vi.unstubAllGlobals());

const LIST = { top: 0, bottom: 100 };

const told: string[] = [];

function element(top: number, bottom: number): HTMLElement {
  return {
    dispatchEvent: ({ type }: Event) => told.push(type),
    closest: () => ({ getBoundingClientRect: () => LIST }),
    getBoundingClientRect: () => ({ top, bottom, height: bottom - top }),
    scrollIntoView: () => undefined,
    style: {},
    offsetHeight: bottom - top,
  } as unknown as HTMLElement;
}

it('where the head alone is higher than the list, keys count', () => {
  expect(bringInSight(element(0, 190), element(0, 130), element(130, 190))).toBe(false);
});

it('answers below the list are brought in first', () => {
  expect(bringInSight(element(0, 190), element(0, 40), element(130, 190))).toBe(true);
  // Whoever holds the list at its end lets go.
  expect(told).toEqual(['espalier:wished-move']);
});
