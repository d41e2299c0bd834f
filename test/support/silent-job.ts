import type { CompactionReport } from '../../src/main/compaction/compact';

/** A job that nobody watches: what is reviewed is taken as it is. */
export function silentJob(): CompactionReport {
  return {
    planned: () => undefined,
    step: () => undefined,
    delta: () => undefined,
    spent: () => undefined,
    retry: () => undefined,
    review: ({ text }) => Promise.resolve(text),
    commit: () => undefined,
    written: () => undefined,
  };
}
