import { hideSecrets, secretHeaderValues } from '@shared/policy/secret-header';
import type { ProviderRequest } from './types';

/**
 * A provider's words without the key that it was sent: some repeat it when they refuse it, and what is stored must not
 * hold it (QS6).
 */
export function hideKeys(text: string, { model, options }: ProviderRequest): string {
  return hideSecrets(text, [options.apiKey, ...secretHeaderValues({ ...model.headers, ...options.headers })]);
}
