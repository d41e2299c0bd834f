import { describe, expect, it } from 'vitest';
import { cutAt, flipBit, flipIndexBit, isCutVisible, makeSample, tryDamaged } from '../../support/journal-damage';

const sample = await makeSample(2_500);

describe('QR3: damaged journals (every byte and 10,000 bits of a longer one: `npm run faults`)', () => {
  it.each([true, false])('JN19: cut off at many bytes (index: %s), every whole entry is kept', async (index) => {
    for (let offset = 0; offset <= sample.journal.length; offset += 41) {
      const planted = cutAt(sample, offset, index);
      const { refused, wrong, lost, damage, lostByAppend } = await tryDamaged(sample, planted);
      const isInHeader = offset > 0 && offset < sample.headerEnd;
      expect({ offset, refused: refused !== null, wrong, lost, lostByAppend }).toEqual({
        ...{ offset, refused: isInHeader, wrong: 0, lost: 0, lostByAppend: 0 },
      });
      expect({ offset, told: damage.length > 0 }).toEqual({
        offset,
        told: isInHeader || isCutVisible(sample, offset, index),
      });
    }
  });

  it('JN20: a flipped bit costs at most its own entry, never makes another of it, and is told', async () => {
    for (let bit = 3; bit < sample.journal.length * 8; bit += 397) {
      const { refused, wrong, lost, damage, lostByAppend } = await tryDamaged(sample, flipBit(sample, bit));
      expect({ bit, refused, wrong, lost, lostByAppend, told: damage.length > 0 }).toEqual({
        ...{ bit, refused: null, wrong: 0, lost: 0, lostByAppend: 0, told: true },
      });
    }
  });

  it('JN20: a flipped line end keeps both lines', async () => {
    for (const { end } of sample.entries.slice(0, 3)) {
      const verdict = await tryDamaged(sample, flipBit(sample, end * 8));
      expect(verdict).toMatchObject({ refused: null, wrong: 0, lost: 0, lostByAppend: 0 });
      expect(verdict.damage.join()).toMatch(/runs into the next one/);
    }
  });

  it('JN21, JN36: a damaged index costs nothing and is not told: it is made anew', async () => {
    for (let bit = 5; bit < sample.index.length * 8; bit += 797) {
      const verdict = await tryDamaged(sample, flipIndexBit(sample, bit));
      expect({ bit, ...verdict }).toEqual({
        ...{ bit, refused: null, wrong: 0, lost: 0, damage: [], lostByAppend: 0 },
      });
    }
  });
});
