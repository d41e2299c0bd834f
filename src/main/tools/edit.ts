import { MAX_EDITS, MAX_WRITE_BYTES } from '@shared/limits';
import { Type } from 'typebox';
import { applyEdits } from './apply-edits';
import {
  applyChange,
  inspectChange,
  planChange,
  readCurrent,
  refusedChange,
  type FileChange,
  type FileChangeDetails,
} from './file-change';
import type { GatedTool } from './gated-tool';
import type { Workspace } from './workspace';

const parameters = Type.Object({
  path: Type.String({ description: 'File to change: relative to the workspace, absolute, or starting with ~/.' }),
  edits: Type.Array(
    Type.Object({
      oldText: Type.String({ description: 'Text to replace, copied exactly. It must occur once in the file.' }),
      newText: Type.String({ description: 'Text to put in its place.' }),
      replaceAll: Type.Optional(Type.Boolean({ description: 'Replace every occurrence.' })),
    }),
    { minItems: 1, maxItems: MAX_EDITS, description: 'All edits match the file as it is now and must not overlap.' },
  ),
});

/** `edit`: exact replacements in one file, all or none. */
export function createEditTool(workspace: Workspace): GatedTool<typeof parameters, FileChange, FileChangeDetails> {
  return {
    name: 'edit',
    label: 'Edit',
    description:
      'Replace exact passages of a text file. Several edits can be made in one call; either all are made or none. Read the file first.',
    parameters,
    executionMode: 'sequential',
    async inspect(args) {
      const target = await workspace.resolve(args.path, 'change');
      if (target.refusal !== undefined) return refusedChange(target, target.refusal);
      const before = await readCurrent(target);
      if (before === null) throw new Error(`${target.shown} does not exist. To create it use write.`);
      const after = Buffer.from(applyEdits(decodeText(before.bytes, target.shown), args.edits, target.shown), 'utf8');
      if (after.length > MAX_WRITE_BYTES)
        throw new Error(`${target.shown} would have ${after.length} bytes; at most ${MAX_WRITE_BYTES} can be written.`);
      return inspectChange(workspace, planChange(target, before, after));
    },
    run: (change) => applyChange(change, `Edited ${change.target.shown}`),
  };
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
