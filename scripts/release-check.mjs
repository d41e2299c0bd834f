// npm run check:release: what has to hold of everything shipped before a release (docs/releasing.md).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { auditShipped } from './lib/audit.mjs';
import { ensureBuild } from './lib/build.mjs';
import { checkNode, ensureDependencies } from './lib/dependencies.mjs';
import { root, scriptArguments } from './lib/run.mjs';
import { SetupError, main, say } from './lib/say.mjs';

await main(async () => {
  checkNode();
  await ensureDependencies();
  // The build stops at a licence that nobody has looked at, at a missing text, at a library that is for development only.
  await ensureBuild();
  if (!existsSync(join(root, 'out/renderer/third-party.txt')))
    throw new SetupError('The build wrote no licence texts.');
  say('every bundled package has a licence text: out/renderer/third-party.txt');
  await auditShipped({ isRequired: !scriptArguments().includes('--offline') });
  return 0;
});
