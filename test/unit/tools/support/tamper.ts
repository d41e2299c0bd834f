import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, TestHost } from './host';

export type TamperTarget = 'command' | 'content' | 'oldText' | 'newText' | 'path' | 'file';

/** Replaces the character at `at` by another one. */
function flip(text: string, at: number): string {
  const index = at % text.length;
  return text.slice(0, index) + (text[index] === 'q' ? 'w' : 'q') + text.slice(index + 1);
}

/**
 * Gets a call approved, changes one byte of what was approved and lets it run. `refused` if it threw and nothing in the
 * workspace changed but by the tampering itself.
 */
export async function changeOneByte(
  sandbox: Sandbox,
  host: TestHost,
  target: TamperTarget,
  round: number,
): Promise<'refused' | 'ran'> {
  const path = join(sandbox.workspaceDir, 'target.txt');
  await writeFile(path, `alpha ${round}\nbeta\n`);
  const edit = { oldText: 'beta', newText: 'gamma' };
  const tool =
    target === 'command' ? 'bash' : target === 'content' || target === 'path' || target === 'file' ? 'write' : 'edit';
  const args: Record<string, unknown> =
    tool === 'bash'
      ? { command: `echo approved > marker-${round}` }
      : tool === 'write'
        ? { path: 'target.txt', content: 'approved\n' }
        : { path: 'target.txt', edits: [edit] };
  const names = readdirSync(sandbox.workspaceDir);
  let expected = await readFile(path, 'utf8');
  const tamper = async (): Promise<void> => {
    if (target === 'command') args['command'] = flip(String(args['command']), round * 3);
    if (target === 'content') args['content'] = flip(String(args['content']), round);
    if (target === 'path') args['path'] = flip('target.txt', round);
    if (target === 'oldText') edit.oldText = round % 2 === 0 ? 'bet' : 'beta\n';
    if (target === 'newText') edit.newText = flip(edit.newText, round);
    if (target === 'file') await writeFile(path, (expected = flip(expected, round)));
  };
  try {
    await host.call(tool, args, { between: tamper });
    return 'ran';
  } catch {
    const isUntouched =
      existsSync(path) &&
      (await readFile(path, 'utf8')) === expected &&
      readdirSync(sandbox.workspaceDir).join() === names.join();
    return isUntouched ? 'refused' : 'ran';
  }
}
