import type { RequestHandlers } from '@shared/ipc/contract';
import type { AppParts } from './types';

type ModelHandlers = Pick<
  RequestHandlers,
  Extract<keyof RequestHandlers, `models.${string}` | `providers.${string}` | `endpoints.${string}`>
>;

/** Providers, keys and endpoints. */
export function modelHandlers({ registry, endpoints, credentials, keyGuard }: AppParts): ModelHandlers {
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
    'models.forgetWindow': (ref) => registry.forgetWindow(ref),
    'providers.setKey': ({ provider, key, keep }) => keyGuard.setKey(provider, key, keep),
    'providers.removeKey': ({ provider }) => registry.removeKey(provider),
    'providers.keySource': ({ provider }) => ({ source: credentials.source(provider) }),
    'endpoints.save': ({ endpoint, key }) => keyGuard.saveEndpoint(endpoint, key),
    'endpoints.remove': ({ endpointId }) => registry.removeEndpoint(endpointId),
    'endpoints.get': ({ endpointId }) => ({ endpoint: endpoints.get(endpointId) ?? null }),
    'endpoints.test': ({ endpoint, key }) => keyGuard.testEndpoint(endpoint, key),
  };
}
