import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));
const TESTS = ['test/unit/**/*.test.{ts,tsx}', 'test/integration/**/*.test.ts'];

/** Works through 130 MB of text: behind other files in one worker it took up to seven times as long. */
const ALONE = ['test/unit/shared/excerpt.test.ts'];

/** Tests that put something in a module's place: each needs modules of its own. */
const mocking = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => /^test\/(unit|integration)\/.*\.test\.tsx?$/.test(path))
  .filter((path) => readFileSync(join(root, path), 'utf8').includes('vi.mock('));

const test = {
  // Long enough for a busy machine: what hangs is found, what is slow is no failure.
  testTimeout: 180_000,
  hookTimeout: 240_000,
};

export default defineConfig({
  resolve: { alias: { '@shared': join(root, 'src/shared') } },
  test: {
    globalSetup: ['scripts/lib/vitest-scratch.mjs'],
    // Some wait for processes and servers: two workers leave two cores idle at times.
    maxWorkers: 3,
    projects: [
      // Modules are loaded once a worker, not once a file: that alone took a fifth of the time.
      {
        extends: true,
        test: { ...test, name: 'shared', include: TESTS, exclude: [...mocking, ...ALONE], isolate: false },
      },
      { extends: true, test: { ...test, name: 'own', include: [...mocking, ...ALONE] } },
    ],
  },
});
