/** Lets the window do what else it has to, in the middle of long work. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
