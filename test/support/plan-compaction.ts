import { cutWindow, planIn, type PlanOptions } from '../../src/shared/compaction/plan';
import type { SessionTree } from '@shared/session/tree/tree';

/** The plan of a compaction at a leaf, in the app's two steps. */
export function planCompaction(tree: SessionTree, leafId: string | null, options: PlanOptions) {
  return planIn(cutWindow(tree, leafId, options.exclude), options);
}
