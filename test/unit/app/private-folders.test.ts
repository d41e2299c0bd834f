import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepPrivate } from '../../../src/main/app/private-folders';

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
