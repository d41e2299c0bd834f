import type { SkillView, WordFile } from './words';

/** Skills as a session has them: which of those that were found count, and how a model is told of them (EX18). Pure. */

/** What all names and descriptions of one prompt may come to, in characters. */
const MAX_LISTED_CHARS = 60_000;

/** All that were found, in their order: the first of a name wins, the others say so. */
export function viewSkills(found: readonly WordFile[], off: readonly string[]): SkillView[] {
  const first = new Map<string, WordFile>();
  for (const skill of found) if (!skill.isOut && !first.has(skill.name)) first.set(skill.name, skill);
  return found.map(({ name, description, folder, shown, problem, isOut, isHidden, path }) => {
    const winner = first.get(name);
    const isBehind = !isOut && winner !== undefined && winner.path !== path;
    const why = isBehind ? `${winner.shown} has the same name and is used instead.` : problem;
    return {
      ...{ name, description, folder, shown, isOn: !isOut && !isBehind && !off.includes(name) },
      ...(why === undefined ? {} : { problem: why }),
      ...(isOut || isBehind ? { isOut: true as const } : {}),
      ...(isHidden ? { isHidden } : {}),
      chars: isOut || isBehind || isHidden ? 0 : entryOf({ name, description, place: shown }).length,
    };
  });
}

/** A skill that a model may be told of. */
export interface ListedSkill {
  name: string;
  description: string;
  /** Where its SKILL.md is: from the workspace, or absolute. */
  place: string;
}

/** Those that count, in their order. */
export function listSkills(found: readonly WordFile[], off: readonly string[]): ListedSkill[] {
  const names = new Set<string>();
  return found.flatMap(({ name, description, shown, path, folder, isOut, isHidden }) => {
    if (isOut || names.has(name)) return [];
    names.add(name);
    if (off.includes(name) || isHidden) return [];
    return [{ name, description, place: folder === '' ? path : shown }];
  });
}

/** What stands in the prompt of them; empty: there are none. What no longer fits is left out whole. */
export function skillEntries(skills: readonly ListedSkill[]): string {
  const entries: string[] = [];
  let chars = 0;
  for (const skill of skills) {
    const entry = entryOf(skill);
    if ((chars += entry.length) > MAX_LISTED_CHARS) break;
    entries.push(entry);
  }
  return entries.join('\n');
}

function entryOf({ name, description, place }: ListedSkill): string {
  return `<skill>\n<name>${plain(name)}</name>\n<description>${plain(description)}</description>\n<location>${plain(place)}</location>\n</skill>`;
}

/** A description ends no element. */
function plain(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** How much of a system prompt tells of skills. */
export function skillsPartOf(systemPrompt: string): string {
  const from = systemPrompt.indexOf('\n# Skills\n');
  const open = from < 0 ? -1 : systemPrompt.indexOf('<available_skills>', from);
  const close = open < 0 ? -1 : systemPrompt.indexOf('</available_skills>', open);
  return close < 0 ? '' : systemPrompt.slice(from, close + '</available_skills>'.length);
}

/** A skill that the person calls by its name, as it is said to the model: pi's form, by which it is known for one (PN4). */
export function skillMessage({ name, place }: { name: string; place: string }, body: string, args: string): string {
  const folder = folderOf(place);
  const text = body.replace(/<(\/?skill\b)/gi, '&lt;$1');
  const head = `<skill name="${plain(name)}" location="${plain(place).replace(/"/g, '&quot;')}">`;
  const whole = `${head}\nPaths in it are relative to ${folder}.\n\n${text}\n</skill>`;
  return args === '' ? whole : `${whole}\n\n${args}`;
}

function folderOf(place: string): string {
  return place.slice(0, Math.max(place.lastIndexOf('/'), place.lastIndexOf('\\'), 0)) || '.';
}
