/** A command that is not the app's own: of an extension, a skill, a prompt template or an MCP server (CM3, EX19). */
export interface SlashCommand {
  /** Without the slash; see `isSlashName`. */
  name: string;
  description: string;
  /** `<issue> [focus]`: shown behind the name. */
  argumentHint?: string;
  source: SlashKind;
  /** Where it comes from, in words for a person: `Your prompts`, `.pi/prompts of the workspace`, the name of an extension. */
  origin: string;
}

/** In this order: of two commands of one name the kind that stands first wins. */
export const SLASH_KINDS = ['extension', 'skill', 'template', 'mcp'] as const;
export type SlashKind = (typeof SLASH_KINDS)[number];

/** As many as one session is shown. */
export const MAX_SLASH_COMMANDS = 500;
const MAX_NAME = 64;
const MAX_WORDS = 300;

/** What can be typed behind a slash, and is no path: begins with a letter or digit, without blanks. */
export function isSlashName(name: string): boolean {
  return name.length <= MAX_NAME && /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_.:-]*$/u.test(name);
}

/** A text that is one: its name as it was typed, and what stands behind it. Null: it is none. */
export function splitSlash(text: string): { name: string; args: string } | null {
  const [, name = '', args = ''] = /^\/(\S+)(?:\s([\s\S]*))?$/u.exec(text.trim()) ?? [];
  return isSlashName(name) ? { name, args: args.trim() } : null;
}

/** Words of an extension, file or server for one line of a list. */
export function slashWords(text: string): string {
  const line = text
    .slice(0, 4 * MAX_WORDS)
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
}
