import branch from '../../../prompts/compaction/branch-summary.md?raw';
import branchPreamble from '../../../prompts/compaction/branch-summary-preamble.md?raw';
import first from '../../../prompts/compaction/compaction-summary.md?raw';
import prefix from '../../../prompts/compaction/compaction-turn-prefix.md?raw';
import update from '../../../prompts/compaction/compaction-update-summary.md?raw';
import handoff from '../../../prompts/compaction/handoff.md?raw';
import short from '../../../prompts/compaction/compaction-short-summary.md?raw';
import length from '../../../prompts/compaction/summary-length.md?raw';
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

/** Words that a cap of tokens holds: 80 % of it, 0.55 words to a token, as summaries full of paths and names have them (SU10). */
const WORDS_PER_TOKEN = 0.8 * 0.55;

const wordsOf = (maxTokens: number): number => Math.max(1, Math.floor(maxTokens * WORDS_PER_TOKEN));

/** A line about a summary, of which nothing is to be shortened. @param maxTokens the cap of its call */
export function shortPrompt(maxTokens: number): string {
  return `${SUMMARY_PROMPTS.short} At most ${wordsOf(maxTokens)} words.`;
}

/** A prompt, and before it how long the answer may be, in words, and what to shorten first (SU10). @param maxTokens the cap of its call */
export function withLength(prompt: string, maxTokens: number): string {
  return `${length.trim().replace('{{words}}', String(wordsOf(maxTokens)))}\n\n${prompt}`;
}
