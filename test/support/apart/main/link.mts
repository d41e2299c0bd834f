import type { ToMain, ToTest } from '../link.ts';

/** To the test that started this process. */
export function tell(message: ToTest): void {
  if (process.connected) process.send?.(message);
}

export function listen(listener: (message: ToMain) => void): void {
  process.on('message', (message) => listener(message as ToMain));
  // The test has ended, whatever became of it.
  process.on('disconnect', () => process.exit(0));
}
