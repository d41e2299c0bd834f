/**
 * How much longer than on a quiet machine a wait may last. A wait ends as soon as the state is there, so this costs nothing but where a
 * test fails; with CI set the machine may be a fifth as fast as the one that the waits were written on (docs/decisions/0015-second-try.md).
 */
export const PATIENCE = process.env.CI ? 4 : 1;
