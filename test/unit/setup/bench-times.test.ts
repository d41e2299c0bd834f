import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exportsName, isUsedFrom, reachableFrom } from '../../support/import-graph';
import { discoverCases } from '../../support/run-cases';

const MAIN = 'src/main/index.ts';
const WINDOW = 'src/renderer/main.tsx';

/** Whether the app runs it: main, or for the window's code and what both sides share the window. */
function isRun(file: string, name: string): boolean {
  if (file.startsWith('src/renderer/')) return isUsedFrom(WINDOW, file, name);
  return isUsedFrom(MAIN, file, name) || (file.startsWith('src/shared/') && isUsedFrom(WINDOW, file, name));
}

describe('QD2: what benchmarks time is what the app runs', async () => {
  const cases = await discoverCases(fileURLToPath(new URL('../../bench/cases', import.meta.url)));

  it.each(cases.map((one) => [one.name, one.times ?? []] as const))('%s', (_name, times) => {
    expect(times.length).toBeGreaterThan(0);
    for (const what of times) {
      const [file = '', name = ''] = what.split(':');
      expect(exportsName(file, name), `${file} exports ${name}`).toBe(true);
      expect(isRun(file, name), `${name} of ${file} is reached by imports from the app's entry`).toBe(true);
    }
  });

  it('tells what no entry reaches, what is not exported, and what is imported for its types alone', () => {
    const main = reachableFrom(MAIN);
    expect(main.has('src/main/app/services.ts')).toBe(true);
    expect(main.has('test/support/oracle/context.ts')).toBe(false);
    expect(main.has('src/renderer/main.tsx')).toBe(false);
    expect(exportsName('src/main/agent/gate.ts', 'Gate.streamFn')).toBe(true);
    expect(exportsName('src/main/agent/gate.ts', 'Gate.noSuchMember')).toBe(false);
    // A file that is run is not enough: something that is run has to name what is timed.
    expect(isUsedFrom(MAIN, 'src/main/agent/system-prompt.ts', 'noSuchName')).toBe(false);
    expect(isUsedFrom(MAIN, 'src/main/agent/system-prompt.ts', 'SystemPrompt')).toBe(true);
    // Nothing but types: who imports it runs nothing of it.
    expect(main.has('src/main/models/pi-types.ts')).toBe(false);
  });
});
