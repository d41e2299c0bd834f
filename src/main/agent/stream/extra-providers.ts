import { registerDemoProvider } from '../../models/demo/provider';
import type { PiAi } from '../../pi/pi';

/** Registers an api of our own beside pi-ai's, in the thread where providers run. */
export type ProviderRegistration = (pi: PiAi) => void;

/** Apis that pi-ai doesn't bring: the demo model. */
export const extraProviders: ProviderRegistration[] = [registerDemoProvider];
