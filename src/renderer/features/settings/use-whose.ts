import { useState } from 'react';
import { ownerOfKey } from '@shared/policy/keys';
import type { ProviderInfo } from '@shared/types';
import { useSettings } from '../../state/hooks';

type Whose = Pick<ProviderInfo, 'id' | 'name'>;

interface KeyOwnership {
  /** Whom it would be kept for; null: that is not known yet. */
  whose: Whose | null;
  /** What its beginning says, for the person. */
  words?: string;
  /** It looks like a key of this one, and not of the one that it was entered for. */
  other?: Whose;
  /** Among whom the person chooses; absent: there is nothing to choose. */
  options?: readonly Whose[];
  choose: (id: string) => void;
}

/** Whose a key is (WN16): the provider that it is entered for, the one that its beginning names, or whom the person says. Nothing is sent. */
export function useWhose(key: string, given: Whose | undefined): KeyOwnership {
  const providers = useSettings((state) => state.providers);
  // A choice is of the text it was made for: another key may be another provider's.
  const [choice, setChoice] = useState<{ id: string; text: string } | null>(null);
  const text = key.trim();
  const choose = (id: string): void => setChoice({ id, text });
  const builtin = providers.filter(({ kind }) => kind === 'builtin');
  const find = (id: string): Whose | undefined => builtin.find((provider) => provider.id === id);
  const owner = ownerOfKey(key);
  const named = owner.kind === 'own' ? find(owner.provider) : undefined;
  const chosen = choice?.text === text ? find(choice.id) : undefined;
  // Endpoints and servers of the person's own take keys of any form.
  if (given) {
    if (!named || !find(given.id) || named.id === given.id) return { whose: given, choose };
    if (chosen) return { whose: chosen, words: `It is kept for ${chosen.name} and sent only there.`, choose };
    const words = `This looks like a key for ${named.name}, not for ${given.name}.`;
    return { whose: given, words, other: named, choose };
  }
  if (named) return { whose: named, words: `A key for ${named.name}. It is sent only there.`, choose };
  if (text === '') return { whose: null, choose };
  const first = owner.kind === 'shared' ? owner.providers.flatMap((id) => find(id) ?? []) : [];
  const options = [...first, ...builtin.filter(({ id }) => !first.some((one) => one.id === id))];
  const words =
    owner.kind === 'shared'
      ? 'Several providers have keys that begin like this. Choose the provider. Nothing is sent until you do.'
      : 'Its beginning doesn’t say whose it is. Choose the provider. Nothing is sent until you do.';
  return { whose: chosen ?? null, words, options, choose };
}
