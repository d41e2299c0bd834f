import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Workspace } from '../../../src/main/places/workspace';
import { makeSandbox, type Sandbox } from './support/host';

/** Where the system says that something is mounted of which nobody can tell what it shows. */
const mounted = vi.hoisted(() => ({ at: '' }));
vi.mock('../../../src/main/places/mounts', async (original) => ({
  ...(await original<object>()),
  parseMounts: () => [
    { id: '1', at: '/' },
    { id: '2', at: mounted.at, kind: 'unknown' },
  ],
}));

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await makeSandbox();
  mounted.at = join(sandbox.workspaceDir, 'in');
  mkdirSync(mounted.at);
  writeFileSync(join(mounted.at, 'a.txt'), 'x');
  symlinkSync('secret-name', join(mounted.at, 'nowhere'));
  symlinkSync('circle', join(mounted.at, 'circle'));
  symlinkSync('in/nowhere', join(sandbox.workspaceDir, 'to-nowhere'));
  symlinkSync('gone', join(sandbox.workspaceDir, 'own-nowhere'));
});
afterEach(() => sandbox.remove());

const inIt = { location: 'outside', isOnUnknownMount: true };
it.each([
  ['in/a.txt', inIt],
  ['in/nowhere', inIt],
  ['in/nowhere/further', inIt],
  ['in/a.txt/x', inIt],
  ['in/circle', inIt],
  ['to-nowhere', inIt],
  ['own-nowhere', { location: 'inside', isOnUnknownMount: false }],
  ['../nowhere', { location: 'outside', isOnUnknownMount: false }],
])(
  'B5: what lies on a mount of unknown kind counts as outside, whether or not it leads somewhere: %s',
  async (path, where) => {
    const { workspaceDir, dataDir } = sandbox;
    expect(await new Workspace({ workspaceDir, dataDir, deniedPaths: [] }).resolve(path, 'read')).toMatchObject(where);
  },
);
