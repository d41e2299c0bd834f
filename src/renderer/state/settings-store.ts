/** Settings, providers and the facts of this installation, as main tells them. */
import { visibleString } from '@shared/policy/visible-text';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { defaultSettings, type Settings } from '@shared/settings';
import type { Bootstrap, ModelInfo, ModelRef, ProviderInfo } from '@shared/types';

export interface SettingsState {
  loaded: boolean;
  settings: Settings;
  /** Sentences about stored values that were refused. */
  problems: readonly string[];
  providers: readonly ProviderInfo[];
  keyring: Bootstrap['keyring'];
  version: string;
  platform: string;
  home: string;
  scratchDir: string;
  paths: Bootstrap['paths'];
  /** The environment forces automatic compaction off, whatever the setting says. */
  autoCompactionForcedOff: boolean;
  /** The app runs on an older Electron than it ships with. */
  developmentRuntime: boolean;
  /** What the system around the window can show (NT3). */
  desktop: Bootstrap['desktop'];
}

export function createSettingsStore(): StoreApi<SettingsState> {
  return createStore<SettingsState>(() => ({
    loaded: false,
    settings: defaultSettings(),
    problems: [],
    providers: [],
    keyring: 'available',
    version: '',
    platform: '',
    home: '',
    scratchDir: '',
    paths: { data: '', logs: '', next: null, former: null, isFixed: true },
    autoCompactionForcedOff: false,
    developmentRuntime: false,
    desktop: { notifications: false, badge: false },
  }));
}

/** The state after main's first answer. */
export function settingsFromBootstrap(boot: Bootstrap): SettingsState {
  const { settings, settingsProblems, providers, keyring, version, platform, home, scratchDir, paths } = boot;
  const { autoCompactionForcedOff, developmentRuntime, desktop } = boot;
  return {
    ...{ loaded: true, settings, problems: settingsProblems, providers, keyring, version, platform },
    ...{ home, scratchDir, paths, autoCompactionForcedOff, developmentRuntime, desktop },
  };
}

/** Why automatic compaction can't be turned on from here (ST3). */
export const FORCED_OFF = 'ESPALIER_DISABLE_AUTOCOMPACT is set. Restart Espalier without it to turn this on.';

export interface FoundModel {
  provider: ProviderInfo;
  model: ModelInfo;
}

/** The model with its provider, or null when it is not (or no longer) known. */
export function findModel(providers: readonly ProviderInfo[], ref: ModelRef | null): FoundModel | null {
  if (!ref) return null;
  const provider = providers.find((item) => item.id === ref.provider);
  const model = provider?.models.find((item) => item.modelId === ref.modelId);
  return provider && model ? { provider, model } : null;
}

/** What people call a model: its name where it is known, else its id. In visible form: a server or another program gave it. */
export function modelName(providers: readonly ProviderInfo[], provider: string, modelId: string): string {
  return visibleString(findModel(providers, { provider, modelId })?.model.name ?? modelId);
}

/** Whether one of these providers has a price that is not known: what runs on this computer costs nothing, any other may. */
export function hasUnknownPrice(providers: readonly ProviderInfo[], asked: Iterable<string>): boolean {
  return [...asked].some(
    (id) => !providers.some((item) => item.id === id && (item.kind === 'demo' || item.kind === 'local')),
  );
}

/** True where a model other than the demo can answer now. */
export function hasRealModel(providers: readonly ProviderInfo[]): boolean {
  return providers.some((provider) => provider.kind !== 'demo' && provider.available && provider.models.length > 0);
}
