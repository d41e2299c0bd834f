import template from '../../../prompts/system.md?raw';
import guidanceTemplate from '../../../prompts/guidance.md?raw';
import { fillTemplate } from './fill-template';
import { readGuidance, type Guidance } from './project-guidance';
import { gatherWorkspaceFacts } from './workspace-facts';

export interface PromptPlace {
  workspaceDir: string;
  platform: string;
  shell: string;
  /** Local date, YYYY-MM-DD. */
  date: string;
}

/** The text of the system prompt from facts already gathered. Pure. */
export function renderSystemPrompt(place: PromptPlace, facts: readonly string[], guidance: Guidance | null): string {
  return fillTemplate(template, {
    workspace: place.workspaceDir,
    platform: place.platform,
    shell: place.shell,
    date: place.date,
    facts: facts.join('\n'),
    guidance: guidance ? `\n${fillTemplate(guidanceTemplate, { ...guidance })}` : '',
  });
}

/**
 * The system prompt of one live session. It is rebuilt only when the workspace, the day or the project's notes change.
 * Why: a prompt that changes with every `git status` would void the provider's cache of the whole session each turn.
 */
export class SystemPrompt {
  private key = '';
  private text = '';

  constructor(private readonly place: () => PromptPlace) {}

  async current(): Promise<string> {
    const place = this.place();
    const guidance = await readGuidance(place.workspaceDir);
    const key = JSON.stringify([place, guidance]);
    if (key !== this.key) {
      this.text = renderSystemPrompt(place, await gatherWorkspaceFacts(place.workspaceDir), guidance);
      this.key = key;
    }
    return this.text;
  }
}
