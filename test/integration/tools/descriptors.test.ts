import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSandbox, type Sandbox } from '../../unit/tools/support/host';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await makeSandbox();
});
afterEach(() => sandbox.remove());

test.runIf(process.platform === 'linux')('D2: a command has its three descriptors, whatever the app holds open', () => {
  const log = join(sandbox.base, 'live.log');
  const program = ['scripts/lib/run-ts.mjs', 'test/integration/tools/programs/list-descriptors.ts'];
  const args = [process.execPath, ...program, sandbox.dataDir, sandbox.workspaceDir];
  // As Chromium does: open in the app, and not marked to be closed in what it starts.
  const printed = execFileSync('bash', ['-c', 'exec 57>"$0"; echo live >&57; exec "$@"', log, ...args], { encoding: 'utf8' }); // prettier-ignore
  // The last one is the listing's own.
  expect(JSON.parse(printed)).toEqual({ command: ['0', '1', '2', '3'], launched: ['0', '1', '2', '3'] });
  expect(readFileSync(log, 'utf8')).toBe('live\n');
});
