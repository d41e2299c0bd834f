import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { canaryWorks, HOSTILE_FOLDERS, visitHostileFolders } from '../../support/hostile-folders';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-hostile-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it.skipIf(process.platform === 'win32')(
  `B: the first message, a read, a search and a write in ${HOSTILE_FOLDERS.length} hostile folders, restricted and trusted: nothing runs or leaves beyond what the person allowed`,
  async () => {
    expect(canaryWorks(base)).toBe(true);
    const outcomes = await visitHostileFolders(base);
    expect(outcomes).toHaveLength(2 * HOSTILE_FOLDERS.length);
    expect(outcomes.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
  },
);
