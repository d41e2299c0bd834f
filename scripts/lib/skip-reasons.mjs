import { writeFileSync } from 'node:fs';

/** A Vitest reporter that writes why tests were skipped (Vitest's own JSON leaves the reasons out). */
export default class SkipReasons {
  onTestRunEnd(modules) {
    const skips = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => ({
        name: test.fullName,
        reason: test.result().note ?? '',
      })),
    );
    writeFileSync('test/results/vitest-skips.json', JSON.stringify(skips));
  }
}
