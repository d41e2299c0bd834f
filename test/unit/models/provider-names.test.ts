import { getProviders } from '@mariozechner/pi-ai';
import { expect, it } from 'vitest';
import { providerName } from '../../../src/main/models/unusable-model';

it('each provider that comes with the app has a name; of another one the id is all there is', () => {
  expect(getProviders().filter((id) => providerName(id) === id)).toEqual([]);
  expect(providerName('somebody-else')).toBe('somebody-else');
});
