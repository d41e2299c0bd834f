import guidanceTemplate from '../../../prompts/guidance.md?raw';
import instructionsTemplate from '../../../prompts/instructions.md?raw';
import skillsTemplate from '../../../prompts/skills.md?raw';
import template from '../../../prompts/system.md?raw';
import toolsTemplate from '../../../prompts/tools.md?raw';
import { type ListedSkill, skillEntries } from '@shared/skills';
import type { Guidance, Instructions, ProjectDoor } from '../ports';
import { NO_LINES, type PromptLines } from '../extensions/prompt-lines';
import { fillTemplate } from './fill-template';

export interface PromptPlace {
  workspaceDir: string;
  platform: string;
  shell: string;
  /** Local date, YYYY-MM-DD. */
  date: string;
}

/** What a prompt says besides where the run takes place. */
interface PromptWords {
  guidance: Guidance | null;
  skills: readonly ListedSkill[];
  instructions: Instructions;
  lines: PromptLines;
}

/** The text of the system prompt from facts already gathered. Pure. */
function renderSystemPrompt(
  place: PromptPlace,
  facts: readonly string[],
  { guidance, skills, instructions: { everywhere, here }, lines }: PromptWords,
): string {
  const parts = [
    toolLines(lines),
    guidance ? fillTemplate(guidanceTemplate, { name: guidance.name, content: guidance.content }) : '',
    skills.length > 0 ? fillTemplate(skillsTemplate, { skills: skillEntries(skills) }) : '',
    instructionsFor('all sessions', everywhere),
    instructionsFor('this workspace', here),
  ].filter((part) => part !== '');
  // `fillTemplate` looks for no placeholder in what it puts in.
  return fillTemplate(template, {
    workspace: place.workspaceDir,
    platform: place.platform,
    shell: place.shell,
    date: place.date,
    facts: facts.join('\n'),
    guidance: parts.length > 0 ? `\n${parts.join('\n\n')}` : '',
  });
}

function toolLines({ tools, rules }: PromptLines): string {
  const said = [...tools.map(({ name, line }) => `- \`${name}\`: ${line}`), ...rules.map((rule) => `- ${rule}`)];
  return said.length > 0 ? fillTemplate(toolsTemplate, { tools: said.join('\n') }) : '';
}

function instructionsFor(where: string, text: string): string {
  if (text.trim() === '') return '';
  // The text must not close its own section (IN12).
  const content = text.trim().replace(/<(\/?instructions)/gi, '&lt;$1');
  return fillTemplate(instructionsTemplate, { where, text: content });
}

/**
 * The system prompt of one live session. It is looked at anew before each run and stays as it is for all requests of the run (EX18), unless
 * the workspace or the person's trust in it changes. Between runs it is rebuilt only when something that it says from files or
 * Settings has changed.
 * Why: a prompt that changes with every `git status` would void the provider's cache of the whole session each turn.
 */
export class SystemPrompt {
  private key = '';
  private text = '';
  private place: PromptPlace | null = null;
  /** Whether the folder was trusted; null: the next request looks anew. */
  private held: boolean | null = null;

  constructor(
    private readonly placeNow: () => PromptPlace,
    private readonly project: ProjectDoor,
    private readonly linesNow: () => PromptLines = () => NO_LINES,
    /** Skills that extensions of the session have named. */
    private readonly skillPaths: () => readonly string[] = () => [],
  ) {}

  /** A run begins. */
  renew(): void {
    this.held = null;
  }

  async current(): Promise<string> {
    const place = this.placeNow();
    const { workspaceDir } = place;
    const look = await this.project.look(workspaceDir);
    const isHeld = this.held === look.isTrusted && this.place?.workspaceDir === workspaceDir;
    if (isHeld) return this.text;
    const skills = await this.project.skills(workspaceDir, this.skillPaths());
    const instructions = this.project.instructions(workspaceDir);
    const lines = this.linesNow();
    const key = JSON.stringify([place, look, skills, instructions, lines]);
    if (key !== this.key) {
      const facts = await this.project.facts(workspaceDir);
      this.text = renderSystemPrompt(place, facts, { guidance: look.guidance, skills, instructions, lines });
      this.key = key;
    }
    this.place = place;
    this.held = look.isTrusted;
    return this.text;
  }
}
