import workerUrl from './worker?worker&url';

interface TrustedTypesFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

declare global {
  interface Window {
    readonly trustedTypes?: TrustedTypesFactory;
  }
}

let trustedUrl: string | null = null;

/** The page's only Trusted Types policy (QC2, RD13): it lets one address pass, our own worker's. */
function trustWorkerUrl(): string {
  trustedUrl ??=
    window.trustedTypes
      ?.createPolicy('espalier', {
        createScriptURL(url) {
          if (url !== workerUrl) throw new TypeError('Only the highlight worker may be started.');
          return url;
        },
      })
      .createScriptURL(workerUrl) ?? workerUrl;
  return trustedUrl;
}

/** Starts the highlight worker. */
export function startHighlightWorker(): Worker {
  return new Worker(trustWorkerUrl(), { type: 'module', name: 'highlight' });
}
