import type { Api, Model } from './pi-types';
import { probeJson } from './probe-http';

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
  const names = items(tags, 'models')
    .map((model) => text(model, 'name'))
    .filter((name) => name !== '');
  if (names.length === 0) return null;
  const running = items(await ask(`${baseUrl}/api/ps`), 'models');
  const models = await Promise.all(
    names.map(async (name) => {
      const show = await ask(`${baseUrl}/api/show`, { model: name });
      const loaded = running.find((model) => text(model, 'name') === name);
      const set = /(?:^|\n)\s*num_ctx\s+(\d+)/.exec(text(show, 'parameters'))?.[1];
      const window = number(loaded, 'context_length') || Number(set ?? 0) || OLLAMA_DEFAULT_WINDOW;
      const abilities = list(show, 'capabilities');
      return localModel(
        'ollama',
        name,
        `${baseUrl}/v1`,
        window,
        abilities.includes('vision'),
        abilities.includes('thinking'),
      );
    }),
  );
  return { id: 'ollama', name: 'Ollama', baseUrl, models };
}

async function findLmStudio(baseUrl: string): Promise<LocalServer | null> {
  const answer = await ask(`${baseUrl}/api/v0/models`);
  const models = items(answer, 'data')
    .filter((model) => ['llm', 'vlm'].includes(text(model, 'type')))
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
  const id = text(items(await ask(`${baseUrl}/v1/models`), 'data')[0], 'id') || 'default';
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
