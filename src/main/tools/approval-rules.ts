import { readFile, rename } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import type { ApprovalRule, ApprovalScope } from '@shared/policy/approval';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { hashContent } from './content-hash';

const scopeSchema = z.union([
  z.strictObject({ kind: z.literal('command'), command: z.string().min(1), cwd: z.string().min(1) }),
  z.strictObject({ kind: z.literal('folder'), folder: z.string().min(1) }),
]);
const ruleSchema = z.strictObject({ hash: z.string(), scope: scopeSchema, createdAt: z.string() });
const fileSchema = z.object({ version: z.literal(1), rules: z.array(z.unknown()) });

/** The hash that a rule is kept under. */
export function hashScope(scope: ApprovalScope): string {
  return hashContent('scope', scope);
}

/** Whether an earlier answer about `granted` covers `asked`: the same command, or a folder at or below the granted one. */
export function scopeCovers(granted: ApprovalScope, asked: ApprovalScope): boolean {
  if (granted.kind === 'folder' && asked.kind === 'folder') {
    const path = relative(granted.folder, asked.folder);
    return path === '' || (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path));
  }
  return granted.kind === asked.kind && hashScope(granted) === hashScope(asked);
}

/**
 * Reads the remembered rules. A rule whose text does not match its hash is dropped; a file that cannot be read as rules is
 * set aside under `<file>.damaged` and gives none, so everything is asked for again.
 */
export async function loadRules(file: string): Promise<ApprovalRule[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const parsed = fileSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    await rename(file, `${file}.damaged`);
    return [];
  }
  return parsed.data.rules.flatMap((raw) => {
    const rule = ruleSchema.safeParse(raw);
    return rule.success && hashScope(rule.data.scope) === rule.data.hash ? [rule.data] : [];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes the rules in one step, readable by this user only. */
export async function saveRules(file: string, rules: readonly ApprovalRule[]): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify({ version: 1, rules }, null, 2)}\n`, { mode: 0o600 });
}
