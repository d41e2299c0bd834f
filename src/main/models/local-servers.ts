import type { Api, Model } from '../pi/pi-types';
import { probeJson } from './endpoint-test';

/** A model server on this computer, with the windows it really gives. */
export interface LocalServer {
  id: 'ollama' | 'lmstudio' | 'llamacpp';
  name: string;
  baseUrl: string;
  models: Model<Api>[];
}

export interface LocalAddresses {
  ollama: string;
  lmstudio: string;
  llamacpp: string;
}

const PROBE_MS = 1500;
/** Whatever listens on such a port may answer: models of one server that are taken, the length of their names, and of a model's parameters. */
const MAX_MODELS = 200;
const MAX_NAME_CHARS = 200;
const MAX_PARAMETERS_CHARS = 20_000;
/** Models that are asked about at a time, and milliseconds that asking about all of them may take: those after it have the usual window. */
const MAX_ASKED = 4;
const ASKING_MS = 5_000;
/** What Ollama gives a model when neither the model file nor a loaded instance says otherwise. */
const OLLAMA_DEFAULT_WINDOW = 4096;
const ANSWER_SHARE = 4;

/** Where the three servers listen by default; `OLLAMA_HOST` is honoured as Ollama itself does. */
export function defaultLocalAddresses(environment: NodeJS.ProcessEnv): LocalAddresses {
  const host = environment.OLLAMA_HOST?.trim();
  const ollama =
    !host || host.startsWith('0.0.0.0') ? 'http://127.0.0.1:11434' : /^https?:/.test(host) ? host : `http://${host}`;
  return { ollama: ollama.replace(/\/+$/, ''), lmstudio: 'http://127.0.0.1:1234', llamacpp: 'http://127.0.0.1:8080' };
}

/** Asks all three at once; one that does not answer within 1.5 s is not there. Never throws. */
export async function findLocalServers(addresses: LocalAddresses): Promise<LocalServer[]> {
  const found = await Promise.all([
    findOllama(addresses.ollama),
    findLmStudio(addresses.lmstudio),
    findLlamaCpp(addresses.llamacpp),
  ]);
  return found.filter((server): server is LocalServer => server !== null);
}

async function findOllama(baseUrl: string): Promise<LocalServer | null> {
  const tags = await ask(`${baseUrl}/api/tags`);
  const names = namesOf(items(tags, 'models'), 'name');
  if (names.length === 0) return null;
  const running = items(await ask(`${baseUrl}/api/ps`), 'models');
  const until = performance.now() + ASKING_MS;
  const toModel = async (name: string): Promise<Model<Api>> => {
    const show = performance.now() < until ? await ask(`${baseUrl}/api/show`, { model: name }) : null;
    const loaded = running.find((model) => text(model, 'name') === name);
    const window = number(loaded, 'context_length') || numCtxOf(text(show, 'parameters')) || OLLAMA_DEFAULT_WINDOW;
    const abilities = list(show, 'capabilities');
    return localModel(
      'ollama',
      name,
      `${baseUrl}/v1`,
      window,
      abilities.includes('vision'),
      abilities.includes('thinking'),
    );
  };
  const models: Model<Api>[] = [];
  for (let at = 0; at < names.length; at += MAX_ASKED)
    models.push(...(await Promise.all(names.slice(at, at + MAX_ASKED).map(toModel))));
  return { id: 'ollama', name: 'Ollama', baseUrl, models };
}

async function findLmStudio(baseUrl: string): Promise<LocalServer | null> {
  const answer = await ask(`${baseUrl}/api/v0/models`);
  const models = items(answer, 'data')
    .filter((model) => ['llm', 'vlm'].includes(text(model, 'type')) && isName(text(model, 'id')))
    .slice(0, MAX_MODELS)
    .map((model) =>
      localModel(
        'lmstudio',
        text(model, 'id'),
        `${baseUrl}/v1`,
        number(model, 'loaded_context_length') || number(model, 'max_context_length'),
        text(model, 'type') === 'vlm',
        false,
      ),
    );
  return models.length === 0 ? null : { id: 'lmstudio', name: 'LM Studio', baseUrl, models };
}

async function findLlamaCpp(baseUrl: string): Promise<LocalServer | null> {
  const props = await ask(`${baseUrl}/props`);
  const settings = (props as Record<string, unknown> | null)?.default_generation_settings;
  const window = number(settings, 'n_ctx');
  if (window === 0) return null;
  const [id = 'default'] = namesOf(items(await ask(`${baseUrl}/v1/models`), 'data').slice(0, 1), 'id');
  const vision = (props as { modalities?: { vision?: unknown } }).modalities?.vision === true;
  return {
    id: 'llamacpp',
    name: 'llama.cpp',
    baseUrl,
    models: [localModel('llamacpp', id, `${baseUrl}/v1`, window, vision, false)],
  };
}

function localModel(
  provider: string,
  id: string,
  baseUrl: string,
  window: number,
  images: boolean,
  reasoning: boolean,
): Model<Api> {
  return {
    id,
    name:
      id
        .split(/[\\/]/)
        .at(-1)
        ?.replace(/\.gguf$/i, '') ?? id,
    api: 'openai-completions',
    provider,
    baseUrl,
    reasoning,
    input: images ? ['text', 'image'] : ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: window,
    maxTokens: Math.max(256, Math.floor(window / ANSWER_SHARE)),
    compat: {
      supportsStore: false,
      supportsDeveloperRole: false,
      supportsReasoningEffort: false,
      maxTokensField: 'max_tokens',
    },
  } as Model<Api>;
}

const isName = (name: string): boolean => name !== '' && name.length <= MAX_NAME_CHARS;

function namesOf(models: readonly unknown[], key: string): string[] {
  const names = models.map((model) => text(model, key)).filter(isName);
  return [...new Set(names)].slice(0, MAX_MODELS);
}

/** The window that the model file sets; 0 if it sets none. By lines: a pattern over all of it takes time by the square of its length. */
function numCtxOf(parameters: string): number {
  for (const line of parameters.slice(0, MAX_PARAMETERS_CHARS).split('\n')) {
    const [name, value = ''] = line.trim().split(/\s+/, 2);
    if (name === 'num_ctx' && /^\d{1,9}$/.test(value)) return Number(value);
  }
  return 0;
}

async function ask(url: string, body?: unknown): Promise<unknown> {
  const answer = await probeJson(url, { timeoutMs: PROBE_MS, body });
  return answer.ok ? answer.body : null;
}
function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
function items(value: unknown, key: string): unknown[] {
  const found = field(value, key);
  return Array.isArray(found) ? found : [];
}
function list(value: unknown, key: string): string[] {
  return items(value, key).filter((item): item is string => typeof item === 'string');
}
function text(value: unknown, key: string): string {
  const found = field(value, key);
  return typeof found === 'string' ? found : '';
}
function number(value: unknown, key: string): number {
  const found = field(value, key);
  return typeof found === 'number' && Number.isFinite(found) && found > 0 ? Math.floor(found) : 0;
}
