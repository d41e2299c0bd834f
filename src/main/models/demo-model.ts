import type { Api, Model } from '../pi/pi-types';

export const DEMO_PROVIDER = 'demo';
export const DEMO_API = 'espalier-demo';

/** The built-in model: scripted, offline, free. It says so in its answers. */
export const DEMO_MODEL: Model<Api> = {
  id: 'demo',
  name: 'Demo model',
  api: DEMO_API,
  provider: DEMO_PROVIDER,
  baseUrl: 'http://localhost/',
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 32_768,
  maxTokens: 4096,
};

/** The same under another name, with the window that the tour needs (WN18): 70 % of it are full there. */
export const TOUR_MODEL: Model<Api> = {
  ...DEMO_MODEL,
  id: 'demo-tour',
  name: 'Demo, 64k',
  contextWindow: 65_536,
};
