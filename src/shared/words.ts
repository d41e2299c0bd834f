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
  /** Of a package that the person installed: as good as their own. */
  isOwn?: true;
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
  /** Of a folder that is not trusted yet: where they lie, and nothing of what they say. */
  placesOnly?: true;
}

/** A skill of the list in Settings. */
export interface SkillView {
  name: string;
  description: string;
  /** `.pi/skills`; empty: the person's own. */
  folder: string;
  shown: string;
  isOn: boolean;
  /** Why it does not count, or what is odd. */
  problem?: string;
  /** It can't be switched: with a problem, or after another one of its name. */
  isOut?: true;
  /** Models are not told of it; `/skill:name` uses it. */
  isHidden?: true;
  /** What a prompt holds for it, characters. */
  chars: number;
}

/** A template of the list in Settings. */
export interface TemplateView {
  name: string;
  description: string;
  argumentHint?: string;
  folder: string;
  shown: string;
  problem?: string;
}

/** What Settings shows of what models are told. */
export interface WordsView {
  everywhere: string;
  /** The workspace of the session that was asked about; null: none. */
  folder: string | null;
  here: string;
  /** Its skills and templates count. */
  isTrusted: boolean;
  skills: SkillView[];
  templates: TemplateView[];
}

/** All that were found, in their order: the first of a name wins, the others say so. Pure. */
export function viewTemplates(found: readonly WordFile[]): TemplateView[] {
  const first = new Map<string, WordFile>();
  return found.map((template) => {
    const { name, description, argumentHint, folder, shown, isOut } = template;
    const winner = first.get(name);
    if (!isOut && !winner) first.set(name, template);
    const problem = winner && !isOut ? `${winner.shown} has the same name and is used instead.` : template.problem;
    return {
      ...{ name, description, folder, shown },
      ...(argumentHint === undefined ? {} : { argumentHint }),
      ...(problem === undefined ? {} : { problem }),
    };
  });
}
