import type { ModelInfo, ProviderInfo } from '../../../src/shared/ipc/types';

function model(provider: string, modelId: string, name: string, more: Partial<ModelInfo> = {}): ModelInfo {
  return {
    provider,
    modelId,
    name,
    contextWindow: 200_000,
    maxTokens: 8192,
    reasoning: true,
    thinkingLevels: ['off', 'minimal', 'low', 'medium', 'high'],
    images: true,
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    ...more,
  };
}
const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Providers of every kind: demo, one with a key, local, custom, and several that need a key. */
export function fakeProviders(): ProviderInfo[] {
  return [
    {
      id: 'demo',
      name: 'Demo',
      kind: 'demo',
      keySource: 'notNeeded',
      available: true,
      models: [
        model('demo', 'demo', 'Demo model', {
          contextWindow: 32_768,
          cost: free,
          thinkingLevels: ['off', 'low', 'medium', 'high'],
        }),
      ],
    },
    {
      id: 'ollama',
      name: 'Ollama',
      kind: 'local',
      keySource: 'notNeeded',
      baseUrl: 'http://127.0.0.1:11434',
      available: true,
      models: [model('ollama', 'qwen3:8b', 'qwen3:8b', { contextWindow: 40_960, cost: free, images: false })],
    },
    {
      id: 'team-proxy',
      name: 'Team proxy',
      kind: 'custom',
      keySource: 'session',
      baseUrl: 'https://proxy.example/v1',
      available: true,
      models: [model('team-proxy', 'sonnet', 'sonnet', { contextWindow: 0, cost: free })],
    },
    {
      id: 'anthropic',
      name: 'Anthropic',
      kind: 'builtin',
      keySource: 'environment',
      environmentName: 'ANTHROPIC_API_KEY',
      available: true,
      models: [
        model('anthropic', 'claude-opus-4-5', 'Claude Opus 4.5', { cost: { ...free, input: 5, output: 25 } }),
        model('anthropic', 'claude-sonnet-4-5', 'Claude Sonnet 4.5'),
        model('anthropic', 'claude-haiku-4-5', 'Claude Haiku 4.5', { cost: { ...free, input: 1, output: 5 } }),
      ],
    },
    ...['OpenAI', 'Google', 'Groq', 'Mistral', 'xAI', 'OpenRouter', 'Cerebras', 'Amazon Bedrock'].map(
      (name): ProviderInfo => ({
        id: name.toLowerCase().replaceAll(' ', '-'),
        name,
        kind: 'builtin',
        keySource: 'none',
        available: false,
        problem: name === 'Amazon Bedrock' ? 'needs AWS credentials in the environment' : 'needs a key',
        models: [
          model(name.toLowerCase(), `${name.toLowerCase()}-large`, `${name} Large`),
          model(name.toLowerCase(), 'small', `${name} Small`),
        ],
      }),
    ),
  ];
}
