import type { FindRoute } from '../../src/main/network/proxy-route';

/** Without a proxy, whatever it is. */
export const goDirectly: FindRoute = () => Promise.resolve({ kind: 'direct' });
