import {
  DEFAULT_FIND_RESULTS,
  DEFAULT_GREP_MATCHES,
  DEFAULT_LS_ENTRIES,
  MAX_EDITS,
  MAX_FIND_RESULTS,
  MAX_GREP_CONTEXT,
  MAX_GREP_MATCHES,
  MAX_LS_ENTRIES,
  MAX_TOOL_OUTPUT_LINES,
} from '@shared/limits';
import { Type, type Static } from 'typebox';
import type { ToolDefinition } from './gated-tool';

/** The tools whose work is done by the worker for files. */

const readParameters = Type.Object({
  path: Type.String({ description: 'File to read: relative to the workspace, absolute, or starting with ~/.' }),
  offset: Type.Optional(Type.Integer({ minimum: 1, description: 'First line, counted from 1.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of lines.' })),
});
export type ReadArgs = Static<typeof readParameters>;

/** `read`, as the model is told of it. */
export const READ_TOOL: ToolDefinition<typeof readParameters> = {
  name: 'read',
  label: 'Read',
  description: `Read a text file or an image (PNG, JPEG, GIF, WebP). At most ${MAX_TOOL_OUTPUT_LINES} lines or 50 KB are returned; the result says how to read on with offset.`,
  parameters: readParameters,
};

const writeParameters = Type.Object({
  path: Type.String({ description: 'File to write: relative to the workspace, absolute, or starting with ~/.' }),
  content: Type.String({ description: 'The whole new content.' }),
});
export type WriteArgs = Static<typeof writeParameters>;

/** `write`, as the model is told of it. */
export const WRITE_TOOL: ToolDefinition<typeof writeParameters> = {
  name: 'write',
  label: 'Write',
  description:
    'Create a file or replace its whole content. Missing folders are created. For a change inside an existing file use edit.',
  parameters: writeParameters,
  executionMode: 'sequential',
};

const editParameters = Type.Object({
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
export type EditArgs = Static<typeof editParameters>;

/** `edit`, as the model is told of it. */
export const EDIT_TOOL: ToolDefinition<typeof editParameters> = {
  name: 'edit',
  label: 'Edit',
  description:
    'Replace exact passages of a text file. Several edits can be made in one call; either all are made or none. Read the file first.',
  parameters: editParameters,
  executionMode: 'sequential',
};

const grepParameters = Type.Object({
  pattern: Type.String({ description: 'JavaScript regular expression, tested line by line; plain text with literal.' }),
  path: Type.Optional(Type.String({ description: 'Folder or file to search (default: the workspace).' })),
  glob: Type.Optional(Type.String({ description: 'Only files that match, for example *.ts or src/**/*.css.' })),
  ignoreCase: Type.Optional(Type.Boolean()),
  literal: Type.Optional(Type.Boolean({ description: 'Take pattern as plain text.' })),
  context: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_GREP_CONTEXT, description: 'Lines shown before and after a match.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_GREP_MATCHES, description: `Matches (default ${DEFAULT_GREP_MATCHES}).` }),
  ),
});
export type GrepArgs = Static<typeof grepParameters>;

/** `grep`, as the model is told of it. */
export const GREP_TOOL: ToolDefinition<typeof grepParameters> = {
  name: 'grep',
  label: 'Grep',
  description:
    'Search file contents with a regular expression. Files that .gitignore names, binary files and files over 10 MB are left out.',
  parameters: grepParameters,
};

const findParameters = Type.Object({
  pattern: Type.String({ description: 'Glob, for example *.ts (at any depth), src/**/*.test.ts or docs/*.' }),
  path: Type.Optional(Type.String({ description: 'Folder to look in (default: the workspace).' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_FIND_RESULTS, description: `Names (default ${DEFAULT_FIND_RESULTS}).` }),
  ),
});
export type FindArgs = Static<typeof findParameters>;

/** `find`, as the model is told of it. */
export const FIND_TOOL: ToolDefinition<typeof findParameters> = {
  name: 'find',
  label: 'Find',
  description: 'Find files and folders by a glob. Folders end in a slash. What .gitignore names is left out.',
  parameters: findParameters,
};

const lsParameters = Type.Object({
  path: Type.Optional(Type.String({ description: 'Folder to list (default: the workspace).' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LS_ENTRIES, description: `Names (default ${DEFAULT_LS_ENTRIES}).` }),
  ),
});
export type LsArgs = Static<typeof lsParameters>;

/** `ls`, as the model is told of it. */
export const LS_TOOL: ToolDefinition<typeof lsParameters> = {
  name: 'ls',
  label: 'List',
  description: 'List the names in a folder. Folders end in a slash, symbolic links in @.',
  parameters: lsParameters,
};
