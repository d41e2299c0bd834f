import { beforeAll, describe, expect, it } from 'vitest';
import { modelAddress, tokenAddress } from '../../../src/main/models/provider-keys';
import { createRoutes } from '../../../src/main/network/proxy-route';
import { loadPiAi } from '../../../src/main/pi/pi';
import type { Api, Model } from '../../../src/main/pi/pi-types';
import { defaultSettings } from '../../../src/shared/settings';

const AMBIENT = '<authenticated>';
let models: Model<Api>[];
let azure: Model<Api>;
let vertex: Model<Api>;
let bedrock: Model<Api>;
beforeAll(async () => {
  const pi = await loadPiAi();
  models = pi.getProviders().flatMap((provider) => pi.getModels(provider) as Model<Api>[]);
  azure = models.find(({ api }) => api === 'azure-openai-responses')!;
  vertex = models.find(({ api }) => api === 'google-vertex')!;
  bedrock = models.find(({ api }) => api === 'bedrock-converse-stream')!;
});

describe('WN25: where requests to a model go', () => {
  it('is an address for every model that comes with the app, and a proxy is found for each', async () => {
    const environment = { AZURE_OPENAI_RESOURCE_NAME: 'garden', GOOGLE_CLOUD_LOCATION: 'us-central1' };
    const find = createRoutes({
      settings: () => ({ ...defaultSettings(), 'network.proxy': 'manual', 'network.proxyAddress': 'http://proxy:1' }),
      environment: {},
      askSystem: () => Promise.resolve('DIRECT'),
    });
    expect(models.length).toBeGreaterThan(500);
    for (const model of models) {
      const address = modelAddress(model, AMBIENT, environment);
      expect(address, `${model.provider}/${model.id}`).not.toBeNull();
      expect(new URL(address!).hostname).not.toContain('{');
      expect((await find(address!)).kind, address!).toBe('proxy');
    }
  });

  it('is what the environment says of Azure, in the order of pi-ai', () => {
    const at = (environment: Record<string, string>): string | null => modelAddress(azure, 'key', environment);
    expect(at({ AZURE_OPENAI_BASE_URL: ' https://own.test/openai/v1 ', AZURE_OPENAI_RESOURCE_NAME: 'x' })).toBe(
      'https://own.test/openai/v1',
    );
    expect(at({ AZURE_OPENAI_BASE_URL: ' ', AZURE_OPENAI_RESOURCE_NAME: 'garden' })).toBe(
      'https://garden.openai.azure.com/openai/v1',
    );
    for (const none of [{}, { AZURE_OPENAI_BASE_URL: 'garden' }, { AZURE_OPENAI_BASE_URL: 'file:///etc' }])
      expect(at(none as Record<string, string>)).toBeNull();
  });

  it('follows the region of Vertex and Bedrock, so that NO_PROXY is held against the real host', () => {
    const host = (model: Model<Api>, environment: Record<string, string>, key = AMBIENT): string =>
      new URL(modelAddress(model, key, environment)!).hostname;
    expect(host(vertex, { GOOGLE_CLOUD_LOCATION: 'europe-west4' })).toBe('europe-west4-aiplatform.googleapis.com');
    expect(host(vertex, { GOOGLE_CLOUD_LOCATION: 'eu' })).toBe('aiplatform.eu.rep.googleapis.com');
    expect(host(vertex, { GOOGLE_CLOUD_LOCATION: 'global' })).toBe('aiplatform.googleapis.com');
    expect(host(vertex, { GOOGLE_CLOUD_LOCATION: 'europe-west4' }, 'a-key')).toBe('aiplatform.googleapis.com');
    expect(host(bedrock, { AWS_REGION: 'eu-west-1' })).toBe('bedrock-runtime.eu-west-1.amazonaws.com');
    expect(host(bedrock, {})).toBe(new URL(bedrock.baseUrl).hostname);
    expect(host({ ...bedrock, baseUrl: 'https://vpce-1.test' }, { AWS_REGION: 'eu-west-1' })).toBe('vpce-1.test');
  });

  it('asks elsewhere for a token only at Vertex without a key', () => {
    expect(tokenAddress(vertex, AMBIENT)).toBe('https://oauth2.googleapis.com/token');
    expect([tokenAddress(vertex, 'a-key'), tokenAddress(bedrock, AMBIENT), tokenAddress(azure, 'key')]).toEqual([
      ...[null, null, null],
    ]);
  });
});
