import { homedir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import { ExtensionBus, logTextOf } from '../extensions/bus';
import { ExtensionBook } from '../extensions/host/extension-book';
import { ExtensionRunner } from '../extensions/host/extension-host';
import { commandFacts } from '../extensions/host/command-facts';
import { findIn } from '../extensions/host/find-in';
import { commandSource, toolSource } from '../extensions/host/sources';
import { modelCaller, modelsFor } from '../extensions/host/model-calls';
import { ResourceBook } from '../extensions/resources';
import type { ToolSources } from '../extensions/tool-source';
import type { ExtensionUis } from '../extensions/ui/extension-ui';
import { watchExtensions } from '../extensions/watch-extensions';
import { onSetting } from '../settings/on-setting';
import type { SettingsStore } from '../settings/settings-store';
import type { FolderLooks } from '../files/looks';
import type { TrustBook } from '../trust/trust-book';
import type { Registry } from '../models/registry';
import type { StreamTransport } from '../agent/stream/types';
import type { AppPaths } from '../paths';
import type { Log, ModelRegistry } from '../ports';
import type { SlashCommands } from '../slash/slash-commands';
import { startExtensionProcess } from './extension-process';

interface Surroundings {
  paths: AppPaths;
  log: Log;
  slash: SlashCommands;
  toolSources: ToolSources;
  uis: ExtensionUis;
  trust: Pick<TrustBook, 'isTrusted' | 'isScratch' | 'onChange'>;
  looks: Pick<FolderLooks, 'extensions' | 'identify' | 'packages'>;
  registry: ModelRegistry & Pick<Registry, 'isTaken' | 'setExtensionProviders'>;
  transport: StreamTransport;
  settings: Pick<SettingsStore, 'current' | 'onChange'>;
}

/** What runs extensions, and the bus on which they take part. No process is started before there is an extension in a live session. */
export async function openExtensions(around: Surroundings) {
  const { paths, log, slash, toolSources, uis, registry, transport, trust, looks, settings } = around;
  /** pi's own extensions run here too (EX11). */
  const usesPiFolder = (): boolean => settings.current()['extensions.piFolder'];
  const placesOf = (): { folder: string; origin: string }[] => [
    { folder: paths.extensions, origin: 'extensions' },
    ...(usesPiFolder() ? [{ folder: join(homedir(), '.pi/agent/extensions'), origin: 'pi' }] : []),
  ];
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
    find: (cwd) =>
      findIn(cwd, {
        ...{ places: placesOf(), packages: [join(paths.data, 'packages')], looks },
        isTrusted: (folder) => trust.isTrusted(folder),
        isScratch: (folder) => trust.isScratch(folder),
      }),
    realFolder: async (cwd) => (await looks.identify(cwd))?.path ?? cwd,
    startProcess: startExtensionProcess,
    start: () => ({
      ...{ agentDir: paths.data, cacheDir: paths.extensionCache, version: app.getVersion() },
      ...modelsFor(registry),
    }),
    commandsOf: (sessionId) => commandFacts(slash, sessionId),
    callModel: modelCaller(registry, transport),
    whyNoProvider: (id) =>
      registry.isTaken(id) ? `The provider “${id}” is not offered. There is one of this name already.` : null,
    onRegistered: (sessionId) => {
      slash.changed(sessionId);
      toolSources.changed(sessionId);
    },
    log: (line) => log.warn(line),
    now: Date.now,
  });
  onSetting(settings, 'extensions.piFolder', () => void runner.reload());
  toolSources.add(toolSource(runner));
  runner.onChange(() => registry.setExtensionProviders(runner.providers()));
  slash.add(commandSource(runner));
  slash.onChanged((sessionId) => runner.commandsChanged(sessionId));
  // What a folder may run is another question now.
  trust.onChange((folders) => void runner.trustChanged(folders));
  const unwatch = watchExtensions(paths.extensions, () => void runner.reload());
  const close = (): void => {
    unwatch();
    runner.close();
  };
  // What they name is among skills and templates.
  const resources = new ResourceBook(bus, (sessionId) => slash.changed(sessionId));
  return { bus, runner, resources, close };
}
