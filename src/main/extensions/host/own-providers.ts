import type { ExtensionProvider } from '../../models/extension-providers';
import type { SessionExtension } from './session-extension';

/** A provider that is offered, and the extension whose it is. */
export interface OwnedProvider {
  provider: ExtensionProvider;
  extensionId: string;
}

/** Of each name the first provider; a key that the person entered is for that one (EX25). */
export function ownProviders(extensions: readonly SessionExtension[]): Map<string, OwnedProvider> {
  const first = new Map<string, OwnedProvider>();
  for (const { providers, extension } of extensions)
    for (const provider of providers)
      if (!first.has(provider.id)) first.set(provider.id, { provider, extensionId: extension.id });
  return first;
}

/** Whether the code of an extension may stream for a provider, which gives it the key: it is its own, at the same address. */
export function mayStream(
  { extension, providers }: SessionExtension,
  { provider, extensionId }: OwnedProvider,
): boolean {
  const { id, baseUrl } = provider;
  if (extension.id !== extensionId || !provider.streams) return false;
  return providers.some((each) => each.id === id && each.streams && each.baseUrl === baseUrl);
}

/** Why an extension can't have a provider of this name; null: it can. */
export function whyOwned(owned: OwnedProvider | undefined, extensionId: string): string | null {
  if (!owned || owned.extensionId === extensionId) return null;
  const { id, extension } = owned.provider;
  return `The provider “${id}” is not offered. The extension “${extension}” has one of this name already.`;
}
