import type { ElectronApplication } from '@playwright/test';

/**
 * Makes main hang at the end of its quit. `loop`: its own thread never comes back to the event loop. `thread`: another one works on in a
 * native library, which nothing can interrupt, and the runtime waits for it.
 */
export async function spinOnQuit(electron: ElectronApplication, how: 'loop' | 'thread'): Promise<void> {
  await electron.evaluate(async ({ app }, kind) => {
    if (kind === 'loop') return void app.on('will-quit', () => { for (;;); }); // prettier-ignore
    const { Worker } = process.mainModule!.require('node:worker_threads') as typeof import('node:worker_threads');
    new Worker(`require('node:crypto').pbkdf2Sync('a', 'b', 2147483647, 64, 'sha512')`, { eval: true });
    // Begun for sure once a core was busy with it for a while.
    for (const before = process.cpuUsage().user; process.cpuUsage().user < before + 2_000_000;)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }, how);
}
