declare global {
  // Read by `get-nonce`, through which Radix's scroll lock gives its <style> the nonce of our policy.
  var __webpack_nonce__: string | undefined;
}

/**
 * Hands the page's style nonce (the `<meta property="csp-nonce">` that Vite's `html.cspNonce` writes) to the libraries
 * that insert a `<style>` element. Call once before the first render. Without the meta tag nothing happens, and such
 * styles are blocked by the policy (QC1).
 */
export function applyStyleNonce(page: Document): void {
  const nonce = page.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  if (nonce) globalThis.__webpack_nonce__ = nonce;
}
