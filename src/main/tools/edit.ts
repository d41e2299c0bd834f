import { MAX_WRITE_BYTES } from '@shared/limits';
import { applyEdits } from './apply-edits';
import {
  applyChange,
  inspectChange,
  planChange,
  readCurrent,
  failedChange,
  refusedChange,
  type CurrentFile,
  type FileChange,
  type FileChangeDetails,
} from './file-change';
import type { EditArgs } from './file-tools';
import type { ToolWork } from './gated-tool';
import type { Workspace } from '../places/workspace';

/** `edit`: exact replacements in one file, all or none. */
export function createEditTool(workspace: Workspace): ToolWork<EditArgs, FileChange, FileChangeDetails> {
  return {
    async inspect(args) {
      const target = await workspace.resolve(args.path, 'change');
      if (target.refusal !== undefined) return refusedChange(target, target.refusal);
      try {
        if (target.failure !== undefined) throw new Error(target.failure);
        const before = await readCurrent(workspace, target);
        if (before === null) throw new Error(`${target.shown} does not exist. To create it use write.`);
        const change = planChange(target, before, edited(before, args, target.shown));
        return await inspectChange(workspace, change, args.path);
      } catch (error) {
        return failedChange(target, error);
      }
    },
    run: (change, context) => applyChange(workspace, change, `Edited ${change.target.shown}`, context),
  };
}

/** The bytes after all edits. Every error of it tells something of the text. */
function edited(before: CurrentFile, args: EditArgs, shown: string): Buffer {
  const after = Buffer.from(applyEdits(decodeText(before.bytes, shown), args.edits, shown), 'utf8');
  if (after.length > MAX_WRITE_BYTES)
    throw new Error(`${shown} would have ${after.length} bytes; at most ${MAX_WRITE_BYTES} can be written.`);
  return after;
}

/** Strict decoding: what is not UTF-8 would not survive being written back. */
function decodeText(bytes: Buffer, shown: string): string {
  if (bytes.includes(0)) throw new Error(`${shown} is a binary file and cannot be edited as text.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(
      `${shown} is not UTF-8 text. Editing it would damage it; use bash with a tool that knows its encoding.`,
    );
  }
}
