const SECRETS = [
  /\b(sk|pk|rk|gsk|xai|ghp|gho|ghu|AIza)[-_A-Za-z0-9]{12,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /((?:api[-_]?key|authorization|token|secret|password)["']?\s*[:=]\s*["']?)[^\s"',}]{6,}/gi,
];

/** Replaces what looks like a key or a token. The last line of defence: callers do not log such text at all. */
export function redact(text: string, known: ReadonlySet<string> = new Set()): string {
  let clean = text;
  for (const secret of known) if (secret.length >= 6) clean = clean.split(secret).join('[redacted]');
  for (const pattern of SECRETS) {
    clean = clean.replace(pattern, (_match, prefix: string | undefined) =>
      prefix && /[:=]/.test(prefix) ? `${prefix}[redacted]` : '[redacted]',
    );
  }
  return clean;
}
