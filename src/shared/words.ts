/** Skills and prompt templates: what a person or a project wrote for the agent, to be called by name (EX18, EX19). */

/** One file of them as it was read. */
export interface WordFile {
  name: string;
  description: string;
  argumentHint?: string;
  /** Where it lies: from the workspace, or from the person's own folder. */
  shown: string;
  /** Absolute, links resolved. */
  path: string;
  /** The folder of words that it was found in: `.pi/prompts`; empty: the person's own. */
  folder: string;
  /** Behind the front matter; only of one that was asked for by name. */
  body?: string;
  /** A skill that models are not told of (`disable-model-invocation`). */
  isHidden?: true;
  /** Why it can't be used, or what is odd about it, as a sentence. */
  problem?: string;
  /** With a problem: it is not used. */
  isOut?: true;
}

/** What is looked for. */
export interface WordsAsk {
  kind: 'templates' | 'skills';
  /** With its body: this one alone. */
  only?: string;
}
