import type { ProxyAddress } from '@shared/policy/proxy-address';

/** The proxies that a request to a model goes through; null: none (WN25). */
export interface Proxies {
  /** For what is sent to the model. */
  model: ProxyAddress | null;
  /** For what its library asks by the way without `fetch`, such as an access token. */
  library: ProxyAddress | null;
}

/** Of what goes nowhere, or is reached directly. */
export const NO_PROXIES: Proxies = { model: null, library: null };
