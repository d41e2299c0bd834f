/** Longest reply that is asked for, in tokens, whatever the model could do (TG7). */
const MAX_OUTPUT_TOKENS = 32_000;
/** A reply of fewer tokens is of no use; asked for even when the window is all but full. */
const MIN_OUTPUT_TOKENS = 1024;

/**
 * The output cap of one request in tokens (TG7): min(model maximum, 32000, max(1024, W − D)); without the last
 * where the window is unknown (W ≤ 0). Why: strict servers refuse prompt plus output above the window.
 */
export function outputCap(modelMaximum: number, window: number, contextTokens: number): number {
  const model = modelMaximum > 0 ? modelMaximum : MAX_OUTPUT_TOKENS;
  const room = window > 0 ? Math.max(MIN_OUTPUT_TOKENS, window - contextTokens) : Number.POSITIVE_INFINITY;
  return Math.min(model, MAX_OUTPUT_TOKENS, room);
}
