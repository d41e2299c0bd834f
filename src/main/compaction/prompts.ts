import branch from '../../../prompts/compaction/branch-summary.md?raw';
import branchPreamble from '../../../prompts/compaction/branch-summary-preamble.md?raw';
import first from '../../../prompts/compaction/compaction-summary.md?raw';
import prefix from '../../../prompts/compaction/compaction-turn-prefix.md?raw';
import update from '../../../prompts/compaction/compaction-update-summary.md?raw';
import handoff from '../../../prompts/compaction/handoff.md?raw';
import short from '../../../prompts/compaction/compaction-short-summary.md?raw';
import system from '../../../prompts/compaction/summarization-system.md?raw';

/** The texts of summary requests (SU1 to SU9). */
export const SUMMARY_PROMPTS = {
  system: system.trim(),
  first: first.trim(),
  update: update.trim(),
  prefix: prefix.trim(),
  short: short.trim(),
  branch: branch.trim(),
  /** Stands before the text of a branch summary that is stored. */
  branchPreamble: branchPreamble.trim(),
  /** `{{goal}}` marks the place of the goal. */
  handoff: handoff.trim(),
};
