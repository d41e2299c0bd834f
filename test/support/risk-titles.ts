import { RiskFinder } from '../../src/shared/policy/risk';

export const DELETES = 'Deletes files';
export const DISCARDS = 'Discards changes or commits';
export const PUSHES = 'Overwrites a remote branch';
export const RUNS = 'Runs code from another program';

/** The risk words of a command in a workspace (docs/specs/safety.md C2). */
export function titles(command: string): string[] {
  const finder = new RiskFinder({ cwd: '/home/ada/code/orders', home: '/home/ada' });
  for (const _ of finder.read(command, 0)) continue;
  for (const _ of finder.end()) continue;
  return finder.risks().map(({ title }) => title);
}
