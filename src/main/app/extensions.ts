import { app } from 'electron';
import { ExtensionBus, logTextOf } from '../extensions/bus';
import { ExtensionBook } from '../extensions/host/extension-book';
import { ExtensionRunner } from '../extensions/host/extension-host';
import { findExtensions } from '../extensions/host/find-extensions';
import { modelCaller, modelsFor } from '../extensions/host/model-calls';
import type { ExtensionUis } from '../extensions/ui/extension-ui';
import type { StreamTransport } from '../agent/stream/types';
import type { AppPaths } from '../paths';
import type { Log, ModelRegistry } from '../ports';
import type { SlashCommands } from '../slash/slash-commands';
import { startExtensionProcess } from './extension-process';

interface Surroundings {
  paths: AppPaths;
  log: Log;
  slash: SlashCommands;
  uis: ExtensionUis;
  registry: ModelRegistry;
  transport: StreamTransport;
}

/** What runs extensions, and the bus on which they take part. No process is started before there is an extension in a live session. */
export async function openExtensions({ paths, log, slash, uis, registry, transport }: Surroundings) {
  const bus: ExtensionBus = new ExtensionBus({
    onError: (error) => {
      log.warn(logTextOf(error));
      runner.heard(error);
    },
  });
  const runner: ExtensionRunner = new ExtensionRunner({
    bus,
    uis,
    book: await ExtensionBook.open(paths.extensionBook),
    find: async () => [{ workspace: null, extensions: await findExtensions(paths.extensions, 'extensions') }],
    startProcess: startExtensionProcess,
    start: () => ({
      ...{ agentDir: paths.data, cacheDir: paths.extensionCache, version: app.getVersion() },
      ...modelsFor(registry),
    }),
    commandsOf: () => [],
    callModel: modelCaller(registry, transport),
    onRegistered: (sessionId) => slash.changed(sessionId),
    log: (line) => log.warn(line),
    now: Date.now,
  });
  return { bus, runner };
}
