/**
 * How long a server asks to wait, in milliseconds, from `retry-after-ms` (OpenAI) or `retry-after` (seconds or an HTTP
 * date); null if it doesn't say or says nonsense.
 */
export function readRetryAfterMs(headers: Headers, now = Date.now()): number | null {
  const precise = headers.get('retry-after-ms');
  if (precise !== null && /^\d+(\.\d+)?$/.test(precise.trim())) return Math.round(Number(precise));
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
