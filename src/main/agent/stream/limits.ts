import type { StreamLimits } from './types';

const MIB = 1024 * 1024;
/** Bytes an SSE event needs for one token at worst, with room for servers that repeat ids and log probabilities. */
const BYTES_PER_TOKEN = 2048;

/**
 * The limits of a normal request. The byte cap grows with the tokens that the reply may have, so an endless stream is
 * ended near its legal size and a long honest reply is not.
 */
export function defaultLimits(maxTokens = 32_000): StreamLimits {
  return {
    idleTimeoutMs: 120_000,
    firstByteTimeoutMs: 290_000,
    totalTimeoutMs: 3_600_000,
    maxBytes: Math.min(128 * MIB, 8 * MIB + maxTokens * BYTES_PER_TOKEN),
    maxLineBytes: 4 * MIB,
  };
}
