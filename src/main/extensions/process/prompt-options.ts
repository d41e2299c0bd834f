import { isRecord } from '@shared/checks';

/** Characters of a section's name. */
const SECTION = /^[\w-]{1,64}$/;

/** `systemPromptOptions` of `before_agent_start` as pi's types have it: what is there, and collections that a handler may fill. */
export function promptOptions(given: unknown): Record<string, unknown> {
  return {
    ...{ hiddenTools: [], toolSnippets: {}, toolGuidelines: {}, promptGuidelines: [], appendSystemPrompt: '' },
    ...{ sections: {}, contextFiles: [], skills: [] },
    ...(isRecord(given) ? given : {}),
  };
}

/** The system prompt with what a handler has put into the options: rules, text, sections in tags of their names. */
export function withPromptOptions(systemPrompt: string, options: unknown): string {
  if (!isRecord(options)) return systemPrompt;
  const { forceSystemPrompt, promptGuidelines, appendSystemPrompt, sections } = options;
  const base = typeof forceSystemPrompt === 'string' ? forceSystemPrompt : systemPrompt;
  const rules = Array.isArray(promptGuidelines) ? promptGuidelines.map((rule) => `- ${String(rule)}`).join('\n') : '';
  const tagged = Object.entries(isRecord(sections) ? sections : {}).flatMap(([name, text]) =>
    SECTION.test(name) && typeof text === 'string' ? [`<${name}>\n${text}\n</${name}>`] : [],
  );
  const more = typeof appendSystemPrompt === 'string' ? appendSystemPrompt : '';
  return [base, rules, more, ...tagged].filter((part) => part !== '').join('\n\n');
}
