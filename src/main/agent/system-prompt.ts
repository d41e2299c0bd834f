import guidanceTemplate from '../../../prompts/guidance.md?raw';
import template from '../../../prompts/system.md?raw';
import type { Guidance, ProjectDoor } from '../ports';

/**
 * Puts values into a prompt template. A placeholder is `{{name}}`; an unknown one is a bug and throws. Values are inserted
 * as they are and never scanned for placeholders themselves.
 */
function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const filled = template.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The prompt template has no value for ${placeholder}.`);
    return value;
  });
  return filled.replace(/\n{3,}/g, '\n\n').trim();
}

export interface PromptPlace {
  workspaceDir: string;
  platform: string;
  shell: string;
  /** Local date, YYYY-MM-DD. */
  date: string;
}

/** The text of the system prompt from facts already gathered. Pure. */
function renderSystemPrompt(place: PromptPlace, facts: readonly string[], guidance: Guidance | null): string {
  return fillTemplate(template, {
    workspace: place.workspaceDir,
    platform: place.platform,
    shell: place.shell,
    date: place.date,
    facts: facts.join('\n'),
    guidance: guidance ? `\n${fillTemplate(guidanceTemplate, { name: guidance.name, content: guidance.content })}` : '',
  });
}

/**
 * The system prompt of one live session. It is rebuilt only when the workspace, the person's trust in it, the day or the
 * project's notes change.
 * Why: a prompt that changes with every `git status` would void the provider's cache of the whole session each turn.
 */
export class SystemPrompt {
  private key = '';
  private text = '';

  constructor(
    private readonly place: () => PromptPlace,
    private readonly project: ProjectDoor,
  ) {}

  async current(): Promise<string> {
    const place = this.place();
    const look = await this.project.look(place.workspaceDir);
    const key = JSON.stringify([place, look]);
    if (key !== this.key) {
      this.text = renderSystemPrompt(place, await this.project.facts(place.workspaceDir), look.guidance);
      this.key = key;
    }
    return this.text;
  }
}
