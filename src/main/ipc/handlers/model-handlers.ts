import type { RequestHandlers } from '@shared/ipc/contract';
import { checkEndpoint } from '../../models/endpoints';
import { testEndpoint } from '../../models/endpoint-test';
import type { AppParts } from './types';

type ModelHandlers = Pick<
  RequestHandlers,
  Extract<keyof RequestHandlers, `models.${string}` | `providers.${string}` | `endpoints.${string}`>
>;

/** Providers, keys and endpoints. */
export function modelHandlers({ registry, endpoints, credentials }: AppParts): ModelHandlers {
  return {
    'models.list': async () => {
      await registry.load();
      return { providers: registry.providers() };
    },
    'models.discover': async () => {
      await registry.load();
      await registry.discover();
      return { providers: registry.providers() };
    },
    'providers.setKey': ({ provider, key, keep }) => registry.setKey(provider, key, keep),
    'providers.removeKey': ({ provider }) => registry.removeKey(provider),
    'providers.keySource': ({ provider }) => ({ source: credentials.source(provider) }),
    'endpoints.save': ({ endpoint }) => registry.saveEndpoint(endpoint),
    'endpoints.remove': ({ endpointId }) => registry.removeEndpoint(endpointId),
    'endpoints.get': ({ endpointId }) => ({ endpoint: endpoints.get(endpointId) ?? null }),
    'endpoints.test': ({ endpoint, key }) => {
      const checked = checkEndpoint(endpoint, () => false, false);
      return testEndpoint(checked, key ?? credentials.get(endpoint.id), {
        ...endpoints.headers(endpoint.id),
        ...filled(endpoint.headers),
      });
    },
  };
}

/** Without the empty ones: an empty secret header stands for the saved value. */
function filled(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}
