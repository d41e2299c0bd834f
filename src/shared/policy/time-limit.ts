/** `300 s` or `5 min`, exactly: a limit that is asked about is part of what is allowed (docs/specs/tools.md TL7). */
export function timeLimitWords(timeoutMs: number): string {
  const seconds = timeoutMs / 1000;
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
