import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readRegularSync } from '../../own-files/read-regular';
import { loadPiAi } from '../../pi/pi';
import { withMissing } from './missing';
import type { ModelCalls } from './modules/models';

/** Both scopes of names that pi's packages have had (EX14). */
const SCOPES = ['@mariozechner', '@earendil-works'];

/** What modules of ours need of the place they are used in. */
/** Names of what draws, of `pi-coding-agent`: pi-tui is loaded for extensions that have one of them. */
const DRAWS =
  /DynamicBorder|BorderedLoader|CustomEditor|[kK]ey(?:Display)?Text|[kK]eyHint|get\w+Theme|\btheme\b|highlightCode|getLanguageFromPath/;

interface ModuleParts {
  models: ModelCalls;
  agentDir: string;
  /** Whether it may need what draws. */
  draws: boolean;
}

type Loader = (parts: ModuleParts) => Promise<object>;

const piAi: Loader = async ({ models }) => (await import('./modules/pi-ai')).piAiFor(await loadPiAi(), models);

/** By what an import says after the scope. Loaded only for extensions that name them: some are large. */
const SCOPED: Record<string, Loader> = {
  'pi-coding-agent': async ({ agentDir, draws }) => ({
    ...(await import('./modules/pi-coding-agent')).codingAgentFor(agentDir),
    ...(draws ? (await import('./modules/coding-agent-ui')).drawing : {}),
  }),
  'pi-tui': () => import('./modules/pi-tui'),
  'pi-ai': piAi,
  'pi-ai/compat': piAi,
  'pi-ai/oauth': () => Promise.resolve({}),
  'pi-agent-core': () => Promise.resolve({}),
};

const typebox = (): Promise<object> => import('typebox');

const PLAIN: Record<string, Loader> = {
  typebox,
  '@sinclair/typebox': typebox,
  'typebox/value': () => import('typebox/value'),
  'typebox/compile': () => import('typebox/compile'),
  '@sinclair/typebox/value': () => import('typebox/value'),
  '@sinclair/typebox/compiler': () => import('typebox/compile'),
};

const ALL = new Map<string, Loader>([
  ...Object.entries(PLAIN),
  ...SCOPES.flatMap((scope) => Object.entries(SCOPED).map(([name, load]) => [`${scope}/${name}`, load] as const)),
]);

/** Files of an extension that are looked through for what they import. */
const MAX_FILES = 400;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/**
 * The modules that an extension may import from us, by their names. Read are the files of its folder; if it has packages of its own,
 * whatever these import is there too.
 */
export async function modulesFor(
  { name, path, isFolder }: { name: string; path: string; isFolder: boolean },
  given: Omit<ModuleParts, 'draws'>,
): Promise<Record<string, object>> {
  const text = isFolder ? folderText(dirname(path)) : textOf(path);
  const parts = { ...given, draws: text === null || DRAWS.test(text) };
  const wanted = [...ALL].filter(([module]) => text === null || text.includes(module));
  const loaded = await Promise.all(
    wanted.map(async ([module, load]) => [module, withMissing(name, module, await load(parts))] as const),
  );
  return Object.fromEntries(loaded);
}

/** Null: look no further, all of them may be needed. */
function folderText(folder: string): string | null {
  const texts: string[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      if (entry.name === 'node_modules') return null;
      if (entry.isDirectory() && !entry.name.startsWith('.')) folders.push(join(at, entry.name));
      else if (/\.[cm]?[jt]sx?$/.test(entry.name)) texts.push(textOf(join(at, entry.name)));
      if (texts.length > MAX_FILES) return null;
    }
  }
  return texts.join('\n');
}

function textOf(path: string): string {
  const text = readRegularSync(path, MAX_FILE_BYTES);
  if (text === null) throw new Error(`${path} is gone.`);
  return text;
}
