import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepPrivate, whyUnusable } from '../../../src/main/app/data-folder';

let base: string;
let umask: number;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'espalier-private-'));
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  rmSync(base, { recursive: true, force: true });
});
const modeOf = (...names: string[]): string => (statSync(join(base, ...names)).mode & 0o777).toString(8);

test.skipIf(process.platform === 'win32')(
  'D4: own folders are for this user from their first moment, with any umask',
  () => {
    mkdirSync(join(base, 'old'));
    chmodSync(join(base, 'old'), 0o777);
    writeFileSync(join(base, 'in-the-way'), '');
    keepPrivate([join(base, 'new/data'), join(base, 'old'), join(base, 'in-the-way', 'x')]);
    expect([modeOf('new'), modeOf('new/data'), modeOf('old')]).toEqual(['700', '700', '700']);
  },
);

test('A5: a start that finds something else in the place of its folder can say so', () => {
  writeFileSync(join(base, 'file'), '');
  expect(whyUnusable(base)).toBeNull();
  expect(whyUnusable(join(base, 'file'))).toBe(
    `${join(base, 'file')} is not a folder. Move it away and start Espalier again.`,
  );
  expect(whyUnusable(join(base, 'file', 'profile'))).toContain('can’t be used (the system reported ENOTDIR)');
});
