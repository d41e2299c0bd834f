import { runSpecs } from '../../support/faults/playwright';
import { zero, type Case, type CaseContext, type FigureInput } from '../../support/figures';

/** Runs the tests of `test/e2e` that judge how long the window's tasks are: they are Playwright's, and say themselves what was long. */
async function runTaskTests(context: CaseContext): Promise<FigureInput[]> {
  const { count, failed } = await runSpecs(context, ['--project=tasks'], { ESPALIER_TASKS: '1' });
  if (count === 0) throw new Error('No test has the tag @tasks.');
  return [zero('window: cards, calls, folds and a wide session with a task over 50 ms', failed, `of ${count}`)];
}

const tasks: Case = { name: 'long tasks of the window', issue: 11, timeoutMinutes: 20, run: runTaskTests };

export default tasks;
