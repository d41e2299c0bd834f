/** Two prompts with no reply between them: a crash in the middle of a reply leaves no more than that (TS6, SU18). */

/** Prompts that are sent together follow each other within it, milliseconds. */
const TOGETHER_MS = 2000;

/** Whether a prompt came so long after another that an answer to that one is missing. Both in Unix milliseconds. */
export function isSilence(earlier: number, later: number): boolean {
  return later - earlier > TOGETHER_MS;
}

/** What is said between them, to the person and to the summarizer alike. */
export const NO_ANSWER = 'No answer is in the session: it never came, or was cut off when Espalier ended.';
