import { createJiti } from 'jiti/static';
import type { ModelCalls } from './modules/models';
import { modulesFor } from './modules';
import type { WireExtension } from './wire';

/** What an extension's file exports. */
export type Factory = (pi: object) => unknown;

/** Loads an extension with a fresh module graph (EX12): nothing is shared with another session's. */
export async function loadFactory(
  { name, path, root }: WireExtension,
  cacheDir: string,
  models: ModelCalls,
  agentDir: string,
): Promise<Factory> {
  const jiti = createJiti(path, {
    moduleCache: false,
    fsCache: cacheDir,
    sourceMaps: false,
    tryNative: false,
    virtualModules: await modulesFor({ name, path, isFolder: root !== path }, { models, agentDir }),
  });
  const factory = await jiti.import<unknown>(path, { default: true });
  if (typeof factory !== 'function') throw new Error('It has no default export that is a function.');
  return factory as Factory;
}
