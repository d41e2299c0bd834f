import type { SlashOutcome, SlashSource } from '../slash/slash-commands';
import type { McpPrompt } from './process/messages';
import type { McpServers } from './servers';
import { isSlashName, type SlashCommand } from '@shared/slash';

/** The prompts of MCP servers behind a slash, as `/server:prompt` (EX20). */
export class McpPrompts implements SlashSource {
  constructor(private readonly servers: McpServers) {}

  list(sessionId: string): SlashCommand[] {
    return this.found(sessionId).map(({ name, prompt, origin }) => ({
      ...{ name, description: prompt.description, source: 'mcp', origin },
      argumentHint: prompt.arguments.map((arg) => (arg.required ? `<${arg.name}>` : `[${arg.name}]`)).join(' '),
    }));
  }

  async run(sessionId: string, name: string, args: string): Promise<SlashOutcome> {
    const found = this.found(sessionId).find((one) => one.name === name);
    if (!found) return null;
    const { prompt, number, origin } = found;
    const given = readArguments(prompt, args);
    const text = await this.servers.link.ask('prompt', { server: number, name: prompt.name, args: given });
    if (text.trim() === '') throw new RangeError(`${origin} gave no text for this.`);
    return { text };
  }

  private found(sessionId: string): { name: string; prompt: McpPrompt; number: number; origin: string }[] {
    return this.servers.readyOf(sessionId).flatMap(({ server, instance }) =>
      (instance.offer?.prompts ?? [])
        .map((prompt) => ({
          ...{ name: `${server.name}:${prompt.name}`, prompt, number: instance.number },
          origin: `MCP server ${server.name}`,
        }))
        .filter(({ name }) => isSlashName(name)),
    );
  }
}

/** Words in the order of the arguments, `name=value` for one by its name; the last argument takes all that is left. @throws RangeError */
function readArguments(prompt: McpPrompt, text: string): Record<string, string> {
  const given = new Map<string, string>();
  const words = text.match(/"[^"]*"|\S+/gu) ?? [];
  const free: string[] = [];
  for (const word of words) {
    const [, name = '', value = ''] = /^([^\s="]+)=(.*)$/su.exec(word) ?? [];
    if (prompt.arguments.some((arg) => arg.name === name)) given.set(name, unquoted(value));
    else free.push(unquoted(word));
  }
  const open = prompt.arguments.filter(({ name }) => !given.has(name));
  for (const [at, { name }] of open.entries()) {
    const value = at === open.length - 1 ? free.slice(at).join(' ') : free[at];
    if (value !== undefined && value !== '') given.set(name, value);
  }
  const missing = prompt.arguments.filter(({ name, required }) => required && !given.has(name));
  if (missing.length > 0) throw new RangeError(`It needs ${missing.map(({ name }) => name).join(', ')}.`);
  return Object.fromEntries(given);
}

function unquoted(word: string): string {
  return word.length > 1 && word.startsWith('"') && word.endsWith('"') ? word.slice(1, -1) : word;
}
