import { z } from 'zod';
import type { ConsentQuestion } from '../consent/consent';
import { type OwnFileRead, readOwnFile } from '../own-files/own-file';
import { saveOwnFile } from '../own-files/write-own';
import type { FolderIdentity } from '../places/folder';
import { isAtOrBelow } from '../places/protected-paths';
import { hashContent } from '../tools/gated-tool';
import { isRecord } from '@shared/checks';
import { type ApprovalRequest, type ApprovalRule, type ApprovalScope, originWords } from '@shared/policy/approval';
import { visibleString } from '@shared/policy/visible-text';

const scopeSchema = z.union([
  z.strictObject({
    kind: z.literal('command'),
    command: z.string().min(1),
    cwd: z.string().min(1),
    timeoutMs: z.number().int().positive().optional(),
    gitRuns: z.array(z.string()).min(1).optional(),
  }),
  z.strictObject({ kind: z.literal('folder'), folder: z.string().min(1) }),
  z.strictObject({
    kind: z.literal('tool'),
    tool: z.string().min(1),
    origin: z.strictObject({ kind: z.enum(['extension', 'mcp']), name: z.string() }),
    identity: z.string().min(1),
    folder: z.string().min(1),
  }),
]);
const ruleSchema = z.strictObject({ hash: z.string(), scope: scopeSchema, createdAt: z.string() });
const fileSchema = z.object({ version: z.literal(1), rules: z.array(z.unknown()) });

/** Rules that are kept, and the bytes that they may have in the file. */
export const MAX_RULES = 1000;
const MAX_RULE_BYTES = 4 * 1024 * 1024;
/** Characters of a rule by which it is named. */
const NAMED_CHARS = 60;

/** The hash that a rule is kept under. */
export function hashScope(scope: ApprovalScope): string {
  return hashContent('scope', scope);
}

/** Whether an earlier answer about `granted` covers `asked`: the same command (with the same time limit and `gitRuns`), the same tool in the same workspace, or a folder at or below the granted one. */
export function scopeCovers(granted: ApprovalScope, asked: ApprovalScope): boolean {
  if (granted.kind === 'folder' && asked.kind === 'folder') {
    return isAtOrBelow(asked.folder, granted.folder);
  }
  return granted.kind === asked.kind && hashScope(granted) === hashScope(asked);
}

/**
 * Reads the remembered rules. A rule whose text does not match its hash is left out, as are the oldest beyond the bound, each by name; a file that can't be read as rules gives
 * none, so that everything is asked for again. Never throws.
 */
export function loadRules(file: string): Promise<OwnFileRead<ApprovalRule[]>> {
  return readOwnFile(file, {
    name: 'The approval rules',
    empty: (): ApprovalRule[] => [],
    remedy: 'You will be asked again.',
    meanwhile: 'You will be asked until they can be read.',
    parse: (json) => {
      const stored = fileSchema.parse(json).rules;
      const good = stored.flatMap((raw) => {
        const rule = ruleSchema.safeParse(raw);
        return rule.success && hashScope(rule.data.scope) === rule.data.hash ? [rule.data] : [];
      });
      const rules = newestThatFit(good);
      const kept = new Set(rules.map(({ hash }) => hash));
      const bad = stored.flatMap((raw) => {
        const { data } = ruleSchema.safeParse(raw);
        return data && hashScope(data.scope) === data.hash && kept.has(data.hash) ? [] : [nameOf(raw)];
      });
      return { value: rules, bad, kept: { version: 1, rules } };
    },
  });
}

function newestThatFit(rules: readonly ApprovalRule[]): ApprovalRule[] {
  let bytes = 0;
  const newestFirst = rules.slice(-MAX_RULES).reverse();
  const tooFar = newestFirst.findIndex((rule) => (bytes += bytesOf(rule)) > MAX_RULE_BYTES);
  return newestFirst.slice(0, tooFar === -1 ? undefined : tooFar).reverse();
}

function bytesOf(rule: ApprovalRule): number {
  return Buffer.byteLength(JSON.stringify(rule));
}

/** A stored rule in a notice: nothing in it is hidden, and a long one is cut. */
function nameOf(stored: unknown): string {
  const scope = isRecord(stored) && isRecord(stored.scope) ? stored.scope : {};
  const what = [scope.command, scope.tool, scope.folder].find((text) => typeof text === 'string' && text !== '');
  if (typeof what !== 'string') return 'an invalid rule';
  return `the rule for “${visibleString(what.slice(0, NAMED_CHARS))}${what.length > NAMED_CHARS ? '…' : ''}”`;
}

/** Writes the rules in one step, readable by this user only. Rejects with a sentence if there are too many. */
export async function saveRules(file: string, rules: readonly ApprovalRule[]): Promise<void> {
  if (newestThatFit(rules).length < rules.length)
    throw new RangeError('There is no room for more approval rules. Remove some in Settings, Tools.');
  await saveOwnFile(file, `${JSON.stringify({ version: 1, rules }, null, 2)}\n`);
}

/** What is remembered where reading in a folder is allowed until the session is closed (B1): this folder, not what stands at its path later. */
export function readingScope({ path, dev, ino, born }: FolderIdentity): ApprovalScope & { kind: 'reading' } {
  return { kind: 'reading', folder: path, identity: [dev, ino, born].join(' ') };
}

/** What main asks before a tool that is not ours runs without a question: what it is called with, nobody sees from then on (docs/specs/safety.md C3). */
export function toolQuestion(
  { tool, origin, folder }: Extract<ApprovalScope, { kind: 'tool' }>,
  how: 'session' | 'always',
  exact: ApprovalRequest['exact'],
): ConsentQuestion {
  const isAlways = how === 'always';
  const until = isAlways
    ? 'in all sessions in this folder, until you remove the rule in Settings, Tools.'
    : 'in this session, until you quit Espalier.';
  return {
    kind: 'tool-scope',
    title: isAlways ? 'Always allow this tool here?' : 'Allow this tool for the session?',
    subject: tool,
    paragraphs: [
      `It is a tool of ${originWords(origin)}. It then runs without asking, whatever the agent calls it with, ${until}`,
      'Espalier can’t tell what it does. If it says something else of itself, you are asked again.',
    ],
    facts: [
      { label: 'In the folder', value: folder },
      ...(exact.kind === 'call' ? [{ label: 'Requested', value: onOneLine(exact.text) }] : []),
    ],
    choices: [
      { id: 'yes', label: isAlways ? 'Always allow' : 'Allow for the session', tone: isAlways ? 'danger' : 'primary' },
    ],
    cancel: 'Cancel',
  };
}

/** Of arguments as JSON: a line break in a text of theirs is written out already. */
function onOneLine(text: string): string {
  return text.replace(/\n */g, ' ');
}

/**
 * What main asks before changes of a whole folder go through without a question (docs/specs/safety.md C3). One exact command needs
 * none: it can do nothing that was not shown.
 */
export function folderQuestion(
  scope: Extract<ApprovalScope, { kind: 'folder' }>,
  how: 'session' | 'always',
  { tool, exact }: Pick<ApprovalRequest, 'tool' | 'exact'>,
): ConsentQuestion {
  const isAlways = how === 'always';
  return {
    kind: 'folder-scope',
    title: isAlways ? 'Always allow changes in this folder?' : 'Allow changes in this folder for the session?',
    subject: scope.folder,
    paragraphs: [
      `The agent may then create, change and overwrite every file in it and below without asking, ${
        isAlways
          ? 'in all sessions, until you remove the rule in Settings, Tools.'
          : 'in this session, until you quit Espalier.'
      }`,
    ],
    facts: exact.kind === 'diff' ? [{ label: `Requested (${tool})`, value: exact.path }] : [],
    choices: [
      { id: 'yes', label: isAlways ? 'Always allow' : 'Allow for the session', tone: isAlways ? 'danger' : 'primary' },
    ],
    cancel: 'Cancel',
  };
}
