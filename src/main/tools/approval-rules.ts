import { isAbsolute, relative, sep } from 'node:path';
import type { ApprovalRule, ApprovalScope } from '@shared/policy/approval';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { readOwnFile, type OwnFileRead } from '../own-files/own-file';
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
 * Reads the remembered rules. A rule whose text does not match its hash is left out; a file that can't be read as rules gives
 * none, so that everything is asked for again. Never throws.
 */
export function loadRules(file: string): Promise<OwnFileRead<ApprovalRule[]>> {
  return readOwnFile(file, {
    name: 'The remembered approvals',
    empty: (): ApprovalRule[] => [],
    remedy: 'You will be asked again.',
    meanwhile: 'You will be asked until they can be.',
    parse: (json) => {
      const stored = fileSchema.parse(json).rules;
      const rules = stored.flatMap((raw) => {
        const rule = ruleSchema.safeParse(raw);
        return rule.success && hashScope(rule.data.scope) === rule.data.hash ? [rule.data] : [];
      });
      const lost = stored.length - rules.length;
      const bad = lost > 0 ? [lost === 1 ? 'one rule' : `${lost} rules`] : [];
      return { value: rules, bad, kept: { version: 1, rules } };
    },
  });
}

/** Writes the rules in one step, readable by this user only. */
export async function saveRules(file: string, rules: readonly ApprovalRule[]): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify({ version: 1, rules }, null, 2)}\n`, { mode: 0o600 });
}
