import { MAX_WRITE_BYTES } from '@shared/limits';
import { Type } from 'typebox';
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
  path: Type.String({ description: 'File to write: relative to the workspace, absolute, or starting with ~/.' }),
  content: Type.String({ description: 'The whole new content.' }),
});

/** `write`: creates or replaces a whole file in one step; missing folders are created, the file mode is kept. */
export function createWriteTool(workspace: Workspace): GatedTool<typeof parameters, FileChange, FileChangeDetails> {
  return {
    name: 'write',
    label: 'Write',
    description:
      'Create a file or replace its whole content. Missing folders are created. For a change inside an existing file use edit.',
    parameters,
    executionMode: 'sequential',
    async inspect(args) {
      const target = await workspace.resolve(args.path, 'change');
      if (target.refusal !== undefined) return refusedChange(target, target.refusal);
      const after = Buffer.from(args.content, 'utf8');
      if (after.length > MAX_WRITE_BYTES)
        throw new Error(`The content has ${after.length} bytes; at most ${MAX_WRITE_BYTES} can be written at once.`);
      return inspectChange(workspace, planChange(target, await readCurrent(target), after));
    },
    run: (change) => applyChange(change, `${change.before === null ? 'Created' : 'Replaced'} ${change.target.shown}`),
  };
}
