import { stat } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSandbox, type Sandbox } from '../../unit/tools/support/host';
import { runProgram } from './programs/run-program';

/** More than three times what memory may grow by. */
const BYTES = 64 * 1024 * 1024;
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await makeSandbox();
});
afterEach(() => sandbox.remove());

test('TL12: 64 MB in one line: memory stays, all of it is in the file (QR8, short form)', async () => {
  const printed = await runProgram('big-output', [
    sandbox.dataDir,
    sandbox.workspaceDir,
    `head -c ${BYTES} /dev/zero | tr "\\0" x`,
  ]);
  const result = JSON.parse(printed) as {
    growthMb: number;
    totalBytes: number;
    shownBytes: number;
    fullOutputPath: string;
  };
  expect(result.growthMb).toBeLessThanOrEqual(20);
  expect(result).toMatchObject({ totalBytes: BYTES, shownBytes: 51_200 });
  expect((await stat(result.fullOutputPath)).size).toBe(BYTES);
});
