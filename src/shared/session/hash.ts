/** FNV-1a with 64 bits as two 32-bit halves would need BigInt; two 32-bit runs with different seeds tell contexts apart. */
const SEEDS = [0x811c9dc5, 0x9747b28c];
const PRIME = 0x01000193;

/**
 * A stable hash of a context, 16 hex digits: equal for equal messages, whatever the order of their keys. For tests and for
 * noticing a changed request state; not for security. O(size).
 */
export function contextHash(value: unknown): string {
  const text = canonical(value);
  return SEEDS.map((seed) => fnv(text, seed).toString(16).padStart(8, '0')).join('');
}

function fnv(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    hash = Math.imul(hash ^ (code & 0xff), PRIME);
    hash = Math.imul(hash ^ (code >> 8), PRIME);
  }
  return hash >>> 0;
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
        : inner,
    ) ?? 'undefined'
  );
}
