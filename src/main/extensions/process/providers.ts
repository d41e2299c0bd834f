import { isRecord } from '@shared/checks';
import type { MainLink } from './links';
import { toWire } from './to-wire';
import type { StreamSimple } from './streams';
import type { WireProvider } from './wire';

/** Milliseconds that a list of models has. */
const REFRESH_MS = 30_000;
const MAX_CONFIG_BYTES = 1024 * 1024;

/** `pi.registerProvider` (EX25): main is told what it says; what is code stays here, and that it is there is told. */
export function registerProvider(
  providers: Map<string, WireProvider>,
  streams: Map<string, StreamSimple>,
  link: MainLink,
  given: unknown,
  config: unknown,
): void {
  if (typeof given !== 'string' || !isRecord(config))
    throw new TypeError('pi.registerProvider takes a name and its configuration in Espalier, not a provider object.');
  const { refreshModels, streamSimple, oauth, images: _images, classifiers: _classifiers, ...plain } = config;
  const told = toWire(plain, MAX_CONFIG_BYTES) as Record<string, unknown>;
  const wire: WireProvider = {
    id: given,
    config: {
      ...told,
      ...(typeof streamSimple === 'function' ? { streams: true } : {}),
      ...(isRecord(oauth) ? { oauth: true } : {}),
    },
  };
  providers.set(given, wire);
  if (typeof streamSimple === 'function') streams.set(given, streamSimple as StreamSimple);
  else streams.delete(given);
  link.registered();
  if (typeof refreshModels === 'function')
    void refresh(providers, link, wire, refreshModels as Refresh).catch((error: unknown) =>
      link.report('refreshModels', error),
    );
}

type Refresh = (context: object) => Promise<unknown>;

/** Its models are those of its server now. */
async function refresh(
  providers: Map<string, WireProvider>,
  link: MainLink,
  wire: WireProvider,
  refreshModels: Refresh,
): Promise<void> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), REFRESH_MS);
  try {
    const context = { signal: controller.signal, stored: undefined, publish: () => Promise.resolve() };
    const models = toWire(await refreshModels(context), MAX_CONFIG_BYTES);
    if (!Array.isArray(models) || providers.get(wire.id) !== wire) return;
    providers.set(wire.id, { ...wire, config: { ...wire.config, models } });
    link.registered();
  } finally {
    clearTimeout(timer);
  }
}
