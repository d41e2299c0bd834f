import first from '../../../prompts/compaction/compaction-summary.md?raw';
import prefix from '../../../prompts/compaction/compaction-turn-prefix.md?raw';
import update from '../../../prompts/compaction/compaction-update-summary.md?raw';
import short from '../../../prompts/compaction/compaction-short-summary.md?raw';
import system from '../../../prompts/compaction/summarization-system.md?raw';

/** The texts of summary requests (engine.md 8.1). */
export const SUMMARY_PROMPTS = {
  system: system.trim(),
  first: first.trim(),
  update: update.trim(),
  prefix: prefix.trim(),
  short: short.trim(),
};
