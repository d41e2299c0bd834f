import type { ModelRef, ProviderInfo } from '@shared/types';
import { findModel } from '../../state/settings-store';

export interface ModelWords {
  name: string;
  provider: string;
  /** Why it can't be asked now, or null. */
  problem: string | null;
}

/** What to call a model that a setting names as `provider/model`, and whether it is still there. */
export function describeModel(providers: readonly ProviderInfo[], text: string): ModelWords {
  const ref = splitModel(text);
  if (!ref) return { name: text, provider: '', problem: null };
  const provider = providers.find(({ id }) => id === ref.provider);
  const found = findModel(providers, ref);
  const words = { name: found?.model.name ?? text, provider: provider?.name ?? ref.provider };
  // Until the providers are loaded only the demo is known.
  if (providers.length <= 1) return { ...words, problem: null };
  if (!found) return { ...words, problem: 'No longer available. It is skipped.' };
  if (!found.provider.available)
    return { ...words, problem: `${found.provider.name} isn’t available now. It is skipped.` };
  return { ...words, problem: null };
}

/** Split at the first slash; null if that gives no model. */
export function splitModel(text: string): ModelRef | null {
  const slash = text.indexOf('/');
  return slash > 0 && slash < text.length - 1
    ? { provider: text.slice(0, slash), modelId: text.slice(slash + 1) }
    : null;
}
