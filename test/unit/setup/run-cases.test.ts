import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Figure } from '../../support/figures';
import { runCases } from '../../support/run-cases';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-cases-'));
  for (const method of ['log', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const put = (file: string, body: string) => writeFileSync(join(folder, file), body);
const good = `{ name: 'good', issue: 2, ci: true, run: async (context) => [
  { name: 'good figure', value: 1, unit: context.scratch, target: { on: 'value', op: '<=', bound: 1 } },
] }`;

async function runHere(...args: string[]): Promise<{ code: number; figures: Figure[] }> {
  const code = await runCases({ name: 'trial', casesFolder: folder, resultsFolder: folder, args });
  return { code, figures: JSON.parse(readFileSync(join(folder, 'trial.json'), 'utf8')) as Figure[] };
}

describe('running cases', () => {
  it('runs lists and single cases, goes on after a throw, and reports it as a failed figure', async () => {
    put('a.ts', `export default { name: 'bad', issue: 3, run: async () => { throw new Error('broke'); } };`);
    put('b.ts', `export default [${good}, { name: 'empty', issue: 2, run: async () => [] }];`);
    const { code, figures } = await runHere();
    expect(code).toBe(1);
    expect(figures.map(({ name, pass, issue }) => [name, pass, issue])).toEqual([
      ['bad', false, 3],
      ['good figure', true, 2],
      ['empty', false, 2],
    ]);
    expect(existsSync(figures[1]!.unit)).toBe(false);
  });

  it('selects by a part of the name, and by the ci mark', async () => {
    put(
      'a.ts',
      `export default [${good}, { name: 'long', issue: 2, run: async () => { throw new Error('not asked for'); } }];`,
    );
    expect((await runHere('--only', 'GOO')).figures).toHaveLength(1);
    expect(await runHere('--', '--ci')).toMatchObject({ code: 0, figures: [{ name: 'good figure' }] });
    const unknown = runCases({
      name: 'trial',
      casesFolder: folder,
      resultsFolder: folder,
      args: ['--only', 'nothing'],
    });
    expect(await unknown).toBe(1);
  });

  it('a skipped case gives no figure, a hanging one fails', async () => {
    put(
      'a.ts',
      `export default [
        { name: 'elsewhere', issue: 2, run: async (context) => context.skip('needs root') },
        { name: 'hang', issue: 2, timeoutMinutes: 0.001, run: () => new Promise(() => {}) },
      ];`,
    );
    const { code, figures } = await runHere();
    expect(code).toBe(1);
    expect(figures).toMatchObject([{ name: 'hang', pass: false, note: 'Error: not finished after 0.001 minutes' }]);
  });

  it('refuses arguments it does not know', async () => {
    await expect(runHere('--olny', 'x')).rejects.toThrow('--olny');
  });
});
