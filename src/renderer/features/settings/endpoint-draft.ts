/** The endpoint form's text fields and the draft they stand for. Pure. */
import type { EndpointDraft } from '@shared/types';

export interface EndpointFields {
  id: string | null;
  name: string;
  api: EndpointDraft['api'];
  baseUrl: string;
  /** One `Name: value` a line. */
  headers: string;
  models: ModelFields[];
}
export interface ModelFields {
  id: string;
  contextWindow: string;
  maxTokens: string;
  images: boolean;
  reasoning: boolean;
}

/** Most endpoints allow more; this is what every one of them takes. */
const DEFAULT_MAX_TOKENS = 8192;

export const EMPTY_ENDPOINT: EndpointFields = {
  id: null,
  name: '',
  api: 'openai-completions',
  baseUrl: '',
  headers: '',
  models: [emptyModel()],
};

export function emptyModel(id = ''): ModelFields {
  return { id, contextWindow: '', maxTokens: String(DEFAULT_MAX_TOKENS), images: false, reasoning: false };
}

export function fieldsOf(draft: EndpointDraft): EndpointFields {
  return {
    ...draft,
    headers: Object.entries(draft.headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    models: draft.models.map((model) => ({
      ...model,
      contextWindow: model.contextWindow > 0 ? String(model.contextWindow) : '',
      maxTokens: String(model.maxTokens),
    })),
  };
}

export type DraftCheck = { ok: true; draft: EndpointDraft } | { ok: false; problem: string };

/**
 * The draft, or the first thing that is wrong in the form. `now` makes the id of an endpoint without a usable name; a test
 * needs no models: it is how one learns what models there are.
 */
export function draftOf(fields: EndpointFields, now: number, needsModels = true): DraftCheck {
  const refuse = (problem: string): DraftCheck => ({ ok: false, problem });
  const name = fields.name.trim();
  if (!name) return refuse('Enter a name for the endpoint.');
  if (!/^https?:\/\/./i.test(fields.baseUrl.trim())) return refuse('Enter a base URL like https://host/v1.');
  const headers = readHeaders(fields.headers);
  if (typeof headers === 'string') return refuse(headers);
  const models = fields.models.filter((model) => model.id.trim() !== '');
  if (needsModels && models.length === 0) return refuse('Add at least one model.');
  for (const model of models) {
    if (!isWhole(model.contextWindow, 0))
      return refuse(`The context window of “${model.id}” must be a whole number, or empty if you don’t know it.`);
    if (!isWhole(model.maxTokens, 1))
      return refuse(`The output limit of “${model.id}” must be a whole number of tokens.`);
  }
  return {
    ok: true,
    draft: {
      id: fields.id ?? idOf(name, now),
      name,
      api: fields.api,
      baseUrl: fields.baseUrl.trim(),
      headers,
      models: models.map((model) => ({
        id: model.id.trim(),
        contextWindow: Number(model.contextWindow || 0),
        maxTokens: Number(model.maxTokens),
        images: model.images,
        reasoning: model.reasoning,
      })),
    },
  };
}

/** The headers, or a sentence about the line that is none. */
function readHeaders(text: string): Record<string, string> | string {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n')) {
    if (!line.trim()) continue;
    const colon = line.indexOf(':');
    if (colon < 1) return `“${line.trim()}” is not a header. Write one “Name: value” per line.`;
    headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return headers;
}

function isWhole(text: string, min: number): boolean {
  if (text.trim() === '') return min === 0;
  return /^\d+$/.test(text.trim()) && Number(text) >= min;
}

function idOf(name: string, now: number): string {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return id || `endpoint-${now.toString(36)}`;
}
