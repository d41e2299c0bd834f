import { isUtf8 } from 'node:buffer';
import { MAX_WRITE_BYTES } from '@shared/limits';
import {
  applyChange,
  inspectChange,
  planChange,
  readCurrent,
  failedChange,
  refusedChange,
  type FileChange,
  type CurrentFile,
  type FileChangeDetails,
} from './file-change';
import type { WriteArgs } from './file-tools';
import type { ToolWork } from './gated-tool';
import type { Workspace } from '../places/workspace';

/** `write`: creates or replaces a whole file in one step; missing folders are created, the file mode is kept. */
export function createWriteTool(workspace: Workspace): ToolWork<WriteArgs, FileChange, FileChangeDetails> {
  return {
    async inspect(args) {
      const after = Buffer.from(args.content, 'utf8');
      if (after.length > MAX_WRITE_BYTES)
        throw new Error(`The content has ${after.length} bytes; at most ${MAX_WRITE_BYTES} can be written at once.`);
      const target = await workspace.resolve(args.path, 'change');
      if (target.refusal !== undefined) return refusedChange(target, target.refusal);
      try {
        if (target.failure !== undefined) throw new Error(target.failure);
        const before = await readCurrent(workspace, target);
        if (before) refuseOtherText(before, target.shown);
        const change = planChange(target, before, after);
        return await inspectChange(workspace, change, args.path);
      } catch (error) {
        return failedChange(target, error);
      }
    },
    run: (change, context) =>
      applyChange(
        workspace,
        change,
        `${change.before === null ? 'Created' : 'Replaced'} ${change.target.shown}`,
        context,
      ),
  };
}

/**
 * Text that is not UTF-8 was read with signs in the place of its letters, and would be written back with them; the diff shows no difference
 * between the two. A binary file is replaced, and its diff says so.
 */
function refuseOtherText({ bytes }: CurrentFile, shown: string): void {
  if (bytes.includes(0) || isUtf8(bytes)) return;
  throw new Error(
    `${shown} is not UTF-8 text. Replacing it could damage letters that were not read right; use bash with a tool that knows its encoding, or remove it first.`,
  );
}
