import type { Failure, ModelRef } from '@shared/types';

/** How a person knows the providers of pi-ai; an id that is not listed is shown as it is. */
const NAMES: Record<string, string> = {
  'amazon-bedrock': 'Amazon Bedrock',
  anthropic: 'Anthropic',
  google: 'Google Gemini',
  'google-vertex': 'Google Vertex AI',
  openai: 'OpenAI',
  'azure-openai-responses': 'Azure OpenAI',
  'openai-codex': 'OpenAI Codex',
  deepseek: 'DeepSeek',
  'github-copilot': 'GitHub Copilot',
  xai: 'xAI',
  groq: 'Groq',
  cerebras: 'Cerebras',
  openrouter: 'OpenRouter',
  'vercel-ai-gateway': 'Vercel AI Gateway',
  zai: 'Z.ai',
  mistral: 'Mistral',
  minimax: 'MiniMax',
  'minimax-cn': 'MiniMax (China)',
  moonshotai: 'Moonshot AI',
  'moonshotai-cn': 'Moonshot AI (China)',
  huggingface: 'Hugging Face',
  fireworks: 'Fireworks',
  opencode: 'OpenCode Zen',
  'opencode-go': 'OpenCode Go',
  'kimi-coding': 'Kimi Coding',
  'cloudflare-workers-ai': 'Cloudflare Workers AI',
  'cloudflare-ai-gateway': 'Cloudflare AI Gateway',
  xiaomi: 'Xiaomi MiMo',
  'xiaomi-token-plan-ams': 'Xiaomi MiMo Token Plan (Amsterdam)',
  'xiaomi-token-plan-cn': 'Xiaomi MiMo Token Plan (China)',
  'xiaomi-token-plan-sgp': 'Xiaomi MiMo Token Plan (Singapore)',
};

export function providerName(id: string): string {
  return Object.hasOwn(NAMES, id) ? (NAMES[id] ?? id) : id;
}

/** Providers that only work after a sign-in in a browser, which Espalier does not offer yet. */
const SIGN_IN_ONLY: ReadonlySet<string> = new Set(['openai-codex']);

/** Providers whose credentials come from the system (cloud profiles), not from a key field. */
const AMBIENT: ReadonlySet<string> = new Set(['amazon-bedrock', 'google-vertex']);

/** What there is to say beyond a missing key. */
export function whyUnavailable(provider: string): string | undefined {
  if (SIGN_IN_ONLY.has(provider)) return 'Needs browser sign-in, which Espalier doesn’t support yet.';
  if (AMBIENT.has(provider)) return 'Uses your system’s cloud credentials, but none were found.';
  return undefined;
}

/** Why a model can't be asked, for the person. */

/** A new model or key is of use only together with another try. */
export function missingModel({ modelId }: ModelRef, provider: string): Failure {
  return {
    title: `${modelId} is not available`,
    detail: `${provider} no longer has a model of that name. Nothing was sent, and your message is kept. Choose another model and retry; the session continues from here.`,
    actions: ['model', 'retry', 'dismiss'],
  };
}

export function keyForAnother(name: string, problem: string): Failure {
  return {
    title: `The key for ${name} was not sent`,
    detail: `${problem} Nothing was sent, and your message is kept.`,
    actions: ['settings', 'model', 'retry', 'dismiss'],
  };
}

export function missingKey(provider: string, name: string): Failure {
  return {
    title: `No API key for ${name}`,
    detail: `${whyUnavailable(provider) ?? 'It needs a key.'} Nothing was sent, and your message is kept.`,
    actions: ['settings', 'model', 'retry', 'dismiss'],
  };
}

/** Where it is asked is not known. */
export function missingAddress(provider: string, name: string): Failure {
  const remedy =
    provider === 'azure-openai-responses'
      ? 'Set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME in the environment that Espalier is started from, and start it again.'
      : 'Check its base URL.';
  return {
    title: `No address for ${name}`,
    detail: `${remedy} Nothing was sent, and your message is kept.`,
    actions: ['settings', 'model', 'retry', 'dismiss'],
  };
}

/** The proxy for it can't be used, and nothing goes around it. */
export function unusableProxy(detail: string): Failure {
  return {
    title: 'The proxy can’t be used',
    detail: `${detail} Nothing was sent, and your message is kept.`,
    actions: ['settings', 'retry', 'dismiss'],
  };
}
