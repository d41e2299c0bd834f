import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exportsName, isUsedFrom, reachableFrom } from '../../support/import-graph';
import type { Case } from '../../support/figures';

const MAIN = 'src/main/index.ts';
const WINDOW = 'src/renderer/main.tsx';
const CASES = 'test/bench/cases';
/** What cases call in the bench page, by name through `window.bench`. */
const BENCH_PAGE = 'test/bench/window/page/main.ts';
const OPENS_BENCH_PAGE = 'test/bench/window/open-page.ts';
/** A case that reaches it starts the app as it is. */
const STARTS_APP = 'test/support/electron-app.ts';

/** Whether the app runs it: main, or for the window's code and what both sides share the window. */
function isRun(file: string, name: string): boolean {
  if (file.startsWith('src/renderer/')) return isUsedFrom(WINDOW, file, name);
  return isUsedFrom(MAIN, file, name) || (file.startsWith('src/shared/') && isUsedFrom(WINDOW, file, name));
}

/** Whether a case calls it: by itself, in the bench page, or because it starts the whole app. */
function isCalledBy(caseFile: string, file: string, name: string): boolean {
  if (isUsedFrom(caseFile, file, name)) return true;
  const reached = reachableFrom(caseFile);
  return reached.has(OPENS_BENCH_PAGE) ? isUsedFrom(BENCH_PAGE, file, name) : reached.has(STARTS_APP);
}

async function casesOf(file: string): Promise<Case[]> {
  const url = new URL(`../../bench/cases/${file}`, import.meta.url);
  return [((await import(url.href)) as { default: Case | Case[] }).default].flat();
}

describe('QD2: what benchmarks time is what the app runs', async () => {
  const files = readdirSync(fileURLToPath(new URL('../../bench/cases', import.meta.url)));
  const named: [name: string, file: string, times: readonly string[]][] = [];
  for (const file of files) {
    for (const { name, times = [] } of await casesOf(file)) named.push([name, `${CASES}/${file}`, times]);
  }

  it.each(named)('%s', (_name, caseFile, times) => {
    expect(times.length).toBeGreaterThan(0);
    for (const what of times) {
      const [file = '', name = ''] = what.split(':');
      expect(exportsName(file, name), `${file} exports ${name}`).toBe(true);
      expect(isRun(file, name), `${name} of ${file} is reached by imports from the app's entry`).toBe(true);
      expect(isCalledBy(caseFile, file, name), `${caseFile} calls ${name} of ${file}`).toBe(true);
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
    // Nor is it enough that what has the method is made: something has to call the method.
    expect(isUsedFrom(MAIN, 'src/main/journal/session-store.ts', 'createSessionStore.open')).toBe(true);
    expect(isUsedFrom(MAIN, 'src/main/journal/session-store.ts', 'createSessionStore.noSuchMember')).toBe(false);
    // Nothing but types: who imports it runs nothing of it.
    expect(main.has('src/main/pi/pi-types.ts')).toBe(false);
  });

  it('tells a case that calls something else than it names', () => {
    expect(isCalledBy(`${CASES}/compaction.ts`, 'src/shared/compaction/plan.ts', 'planIn')).toBe(true);
    expect(isCalledBy(`${CASES}/compaction.ts`, 'src/main/agent/gate.ts', 'Gate.streamFn')).toBe(false);
    expect(isCalledBy(`${CASES}/graph.ts`, 'src/renderer/features/graph/graph-pane.tsx', 'GraphPane')).toBe(true);
    expect(isCalledBy(`${CASES}/graph.ts`, 'src/renderer/features/composer/composer.tsx', 'Composer')).toBe(false);
  });
});
