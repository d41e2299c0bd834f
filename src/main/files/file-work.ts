import { realpath } from 'node:fs/promises';
import type { AgentToolResult } from '../pi/pi-types';
import { type FolderIdentity, identify, type Width, widthOf } from '../places/folder';
import { type McpFile, readProjectFiles, readUserFiles } from '../mcp/config/config-files';
import { type ToolPlace, Workspace } from '../places/workspace';
import type { Guidance, GuidanceFile } from '../ports';
import { type FolderNames, namesInFolder } from '../project/folder-names';
import { findGuidance, readGuidance, readNestedGuidance } from '../project/guidance';
import { wordsOfFolder, wordsOfWorkspace } from '../project/read-words';
import type { WordFile, WordsAsk } from '@shared/words';
import { extensionsOf, type FoundExtension, packageExtensions } from '../project/extension-files';
import { moreWords, type MorePlaces } from '../project/more-words';
import { gatherWorkspaceFacts, type GitLook, lookAtGit } from '../project/workspace-facts';
import { createEditTool } from '../tools/edit';
import { createFindTool } from '../tools/find';
import { type Finding, inspectCall, performCall, type RunContext, type ToolWork } from '../tools/gated-tool';
import { createGrepTool } from '../tools/grep';
import { createLsTool } from '../tools/ls';
import { createReadTool } from '../tools/read';
import { walk } from '../tools/walk';
import { createWriteTool } from '../tools/write';
import { findSessionFiles, type FoundFiles, type FoundHead, readSessionHeads } from './found-sessions';
import { doPickedStep, type PickedAnswer, type PickedStep } from './picked-work';

const MOST_FILES = 20_000;
const MOST_ANSWERS = 50;
const DEEPEST = 12;
const PASSED = new Set(['node_modules', 'dist', 'out', 'build', 'target', '.cache', '.venv', '__pycache__', '.next']);

/**
 * Files below `workspace` whose path holds the letters of `query` in order, best first: matches in the name before
 * matches in a folder, shorter paths first. At most 50, from at most 20,000 files; folders of tools are passed over.
 */
async function completePath(workspace: string, query: string): Promise<string[]> {
  const root = await realpath(workspace).catch(() => null);
  if (root === null) return [];
  try {
    const files = [...walk({ root, ignoresFrom: null, passes: PASSED, maxNames: MOST_FILES, maxDepth: DEEPEST })];
    return rankPaths(files, query).slice(0, MOST_ANSWERS);
  } catch {
    // No folder, or none that can be read: there is nothing to offer.
    return [];
  }
}

/** Pure part: which paths fit, best first. */
function rankPaths(paths: readonly string[], query: string): string[] {
  const wanted = query.toLowerCase();
  const scored: { path: string; score: number }[] = [];
  for (const path of paths) {
    const score = scoreOf(path.toLowerCase(), wanted);
    if (score !== null) scored.push({ path, score });
  }
  scored.sort((a, b) => a.score - b.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return scored.map(({ path }) => path);
}

/** Lower is better; null if the letters are not there in order. */
function scoreOf(path: string, wanted: string): number | null {
  if (wanted === '') return path.split('/').length;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = 0;
  for (const letter of wanted) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return null;
  }
  return 3;
}

/** What the worker for files is asked: one job at a time. */
export interface FileJobs {
  /** The real path of the workspace. */
  root: { params: { place: ToolPlace }; answer: string };
  inspect: { params: { place: ToolPlace; tool: string; args: unknown }; answer: Finding };
  perform: {
    params: { place: ToolPlace; tool: string; args: unknown; pass: string; toolCallId: string };
    answer: AgentToolResult<unknown>;
  };
  /** Paths for the composer's completion. */
  complete: { params: { folder: string; query: string }; answer: string[] };
  /** What main itself wants to know of a folder (looks.ts). */
  identify: { params: { folder: string }; answer: FolderIdentity | null };
  width: { params: { folder: string; dataDir: string }; answer: Width | null };
  guidance: { params: { place: ToolPlace }; answer: Guidance | null };
  guidanceFiles: { params: { place: ToolPlace }; answer: GuidanceFile[] };
  /** Extensions of a workspace, in the order of loading (EX11). */
  extensions: { params: { folder: string }; answer: FoundExtension[] };
  folderNames: { params: { place: ToolPlace }; answer: FolderNames };
  facts: { params: { place: ToolPlace }; answer: string[] };
  nestedGuidance: { params: { place: ToolPlace; files: readonly string[] }; answer: Guidance[] };
  words: { params: { place: ToolPlace; ask: WordsAsk }; answer: WordFile[] };
  moreWords: { params: { folder: string; places: MorePlaces; ask: WordsAsk }; answer: WordFile[] };
  /** Extensions of the packages of some npm projects. */
  packages: { params: { folder: string; places: readonly string[] }; answer: FoundExtension[] };
  ownWords: { params: { folder: string; ask: WordsAsk }; answer: WordFile[] };
  git: { params: { folder: string }; answer: GitLook };
  /** Files of a folder, and of the person, that name MCP servers. */
  mcpFiles: { params: { place: ToolPlace }; answer: McpFile[] };
  mcpUserFiles: { params: { folder: string; of: string | null }; answer: McpFile[] };
  /** Session files in a folder that a person picked, and what the headers of some of them say. */
  sessionFiles: { params: { folder: string }; answer: FoundFiles };
  sessionHeads: { params: { folder: string; names: readonly string[] }; answer: FoundHead[] };
  /** A file that a person picked (picked-files.ts). */
  picked: { params: { path: string; step: PickedStep }; answer: PickedAnswer };
}

export type FileJob = { [K in keyof FileJobs]: { kind: K } & FileJobs[K]['params'] }[keyof FileJobs];

/** Worker to main: notes while it works, then one end. */
export type FileReport =
  /** The job was taken up: its time runs from here. */
  | { type: 'begun' }
  | { type: 'interim'; answer: unknown }
  | { type: 'committing' }
  | { type: 'done'; answer: unknown }
  | { type: 'failed'; message: string }
  /** Its thread is gone. */
  | { type: 'lost'; isMemory: boolean; message: string };

type Tell = Pick<RunContext, 'interim' | 'committing'>;
type AnyWork = ToolWork<unknown, never, unknown>;

const TOOLS = new Map<string, (workspace: Workspace) => AnyWork>([
  ['read', (workspace) => createReadTool(workspace) as AnyWork],
  ['write', (workspace) => createWriteTool(workspace) as AnyWork],
  ['edit', (workspace) => createEditTool(workspace) as AnyWork],
  ['grep', (workspace) => createGrepTool(workspace) as AnyWork],
  ['find', (workspace) => createFindTool(workspace) as AnyWork],
  ['ls', (workspace) => createLsTool(workspace) as AnyWork],
]);

/** Does one job. Rejects with an Error whose message is for the model or the person. */
export async function doFileWork(job: FileJob, tell: Tell): Promise<unknown> {
  switch (job.kind) {
    case 'root':
      return new Workspace(job.place).root();
    case 'inspect':
      return inspectCall(workOf(job.tool, job.place), job.args);
    case 'perform': {
      const context = { toolCallId: job.toolCallId, folder: job.place.folder, ...tell };
      return performCall(job.tool, workOf(job.tool, job.place), job.args, job.pass, context);
    }
    case 'complete':
      return completePath(job.folder, job.query);
    case 'identify':
      return identify(job.folder);
    case 'width':
      return widthOf(job.folder, job.dataDir);
    case 'guidance':
      return readGuidance(new Workspace(job.place));
    case 'extensions':
      return extensionsOf(job.folder);
    case 'folderNames':
      return namesInFolder(job.place);
    case 'guidanceFiles':
      return findGuidance(new Workspace(job.place));
    case 'facts':
      return gatherWorkspaceFacts(new Workspace(job.place));
    case 'nestedGuidance':
      return readNestedGuidance(new Workspace(job.place), job.files);
    case 'words':
      return wordsOfWorkspace(job.place, job.ask);
    case 'ownWords':
      return wordsOfFolder(job.folder, job.ask);
    case 'moreWords':
      return moreWords(job.places, job.ask);
    case 'packages':
      return packageExtensions(job.places);
    case 'git':
      return lookAtGit(job.folder);
    case 'mcpFiles':
      return readProjectFiles(new Workspace(job.place), job.place.workspaceDir);
    case 'mcpUserFiles':
      return readUserFiles(job.folder, job.of);
    case 'sessionFiles':
      return findSessionFiles(job.folder);
    case 'sessionHeads':
      return readSessionHeads(job.folder, job.names);
    case 'picked':
      return doPickedStep(job.path, job.step);
  }
}

function workOf(tool: string, place: ToolPlace): AnyWork {
  const create = TOOLS.get(tool);
  if (!create) throw new Error(`There is no tool ${tool}.`);
  return create(new Workspace(place));
}
