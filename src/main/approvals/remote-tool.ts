import type { FileWorkers } from '../files/file-workers';
import type { FolderIdentity } from '../places/folder';
import type { ToolPlace } from '../places/workspace';
import type { HostTool, ToolDefinition } from '../tools/gated-tool';

/** A tool whose work the worker for files does, checks and opening in one place. */
export function remoteTool(
  definition: ToolDefinition,
  files: FileWorkers,
  place: (folder?: FolderIdentity) => ToolPlace,
  sessionId: string,
): HostTool {
  const { name: tool } = definition;
  return {
    ...definition,
    inspect: (args, folder, signal) =>
      files.run('inspect', { place: place(folder), tool, args }, { signal, sessionId }),
    perform: (args, pass, { toolCallId, folder, signal }) =>
      files.run('perform', { place: place(folder), tool, args, pass, toolCallId }, { signal, sessionId }),
  };
}
