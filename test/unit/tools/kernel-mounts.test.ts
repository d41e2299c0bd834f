import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approvalChangeOf } from '../../../src/main/ipc/approval-view';
import type { ApprovalView as ApprovalView } from '@shared/policy/approval';
import { stakesOf } from '../../../src/shared/policy/stakes';
import { canHang, mountThatHangs } from '../../support/hung-mount';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

/** Real mounts in a trusted workspace (docs/specs/safety.md B5), where this user may make them. */

function mounts(...args: string[]): boolean {
  try {
    execFileSync('mount', args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let sandbox: Sandbox;
let host: TestHost;
let at: string;
beforeEach(async () => {
  sandbox = await makeSandbox();
  at = join(sandbox.workspaceDir, 'in');
  mkdirSync(at);
  writeFileSync(join(sandbox.dataDir, 'keys.json'), 'SECRET');
  host = await makeHost(sandbox);
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});

async function whileMounted(args: string[], look: () => Promise<void>): Promise<void> {
  if (!mounts(...args, at)) return;
  try {
    await look();
  } finally {
    execFileSync('umount', [at]);
  }
}

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('B5: mounted in a workspace', () => {
  it('the processes of the system', async () => {
    await whileMounted(['-t', 'proc', 'proc'], async () => {
      await expect(host.call('read', { path: 'in/self/status' })).rejects.toThrow('belongs to the system');
      expect((await host.call('find', { pattern: '**/status' })).text).not.toContain('self');
    });
  });

  it('an overlay of the data folder', async () => {
    mkdirSync(join(sandbox.workspaceDir, 'empty'));
    const layers = `ro,lowerdir=${join(sandbox.workspaceDir, 'empty')}:${sandbox.dataDir}`;
    await whileMounted(['-t', 'overlay', 'overlay', '-o', layers], async () => {
      await expect(host.call('read', { path: 'in/keys.json' })).rejects.toThrow("Espalier's own data");
      expect((await host.call('grep', { pattern: 'SECRET' })).text).not.toContain('keys.json');
    });
  });

  it.skipIf(!canHang())(
    'a mount that another program answers for: the question says so, a question about elsewhere does not',
    async () => {
      const mount = await mountThatHangs(at);
      try {
        host.autoAnswer('deny');
        const calls: [string, object][] = [
          ['ls', { path: 'in' }],
          ['find', { path: 'in', pattern: '*' }],
          ['read', { path: 'in/a.txt' }],
          ['write', { path: 'in/a.txt', content: 'x' }],
          ['ls', { path: sandbox.base }],
        ];
        for (const [tool, args] of calls) await host.call(tool, { ...args }).catch(() => undefined);
        const reasons = host.asked.map(({ reason }) => reason);
        expect(reasons).toHaveLength(calls.length);
        for (const reason of reasons.slice(0, -1))
          expect(reason).toContain('Another program may control what it shows');
        expect(reasons.at(-1)).toBe('It is outside the workspace, so Espalier asks every time.');
        // Nor does a card say "outside" beside it.
        const titles = host.asked.map((request) => {
          const { subject } = (approvalChangeOf({ type: 'requested', request })!.change as { request: ApprovalView })
            .request;
          return stakesOf(subject, { risks: [], warnings: [] }).risks.map(({ title }) => title);
        });
        for (const title of titles.slice(0, -1)) expect(title).toEqual(['On a mount inside the workspace']);
        expect(titles.at(-1)).toEqual(['Outside the workspace']);
      } finally {
        await mount.remove();
        mkdirSync(at);
      }
    },
  );
});
