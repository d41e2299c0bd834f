import { join } from 'node:path';
import { z } from 'zod';
import type { JournalFs } from './fs';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 30 * DAY_MS;
/** From the start that finds its time over to the one that removes it. */
const DUE_MS = 7 * DAY_MS;

const schema = z.record(z.string(), z.object({ noticed: z.number(), due: z.number().nullable() }));
type Times = z.infer<typeof schema>;

/**
 * How long what lies in the trash has been there, by what more than one start saw: a clock that is wrong once, ahead or behind, removes
 * nothing (JN26). It notes when a start first saw each name, and since when its time is over.
 */
export class TrashTime {
  private readonly path: string;

  constructor(
    private readonly fs: JournalFs,
    dir: string,
  ) {
    this.path = join(dir, 'kept.json');
  }

  /** Notes what is there at this start; returns the names whose time is over. `now`: Unix milliseconds. Rejects, and nothing is over, if it can't be noted. */
  async over(names: readonly string[], now: number): Promise<string[]> {
    const before = await this.read();
    const after: Times = {};
    const over: string[] = [];
    for (const name of names) {
      const known = before[name];
      const noticed = Math.min(known?.noticed ?? now, now);
      const isOver = now - noticed >= KEPT_MS;
      // A clock that is right again takes back what a wrong one said.
      const due = isOver ? Math.min(known?.due ?? now, now) : null;
      if (due !== null && now - due >= DUE_MS) over.push(name);
      after[name] = { noticed, due };
    }
    await this.write(before, after);
    return over;
  }

  /** Without it everything counts as first seen now: it is kept for longer. */
  private async read(): Promise<Times> {
    try {
      return schema.parse(JSON.parse((await this.fs.readText(this.path)) ?? '{}'));
    } catch {
      return {};
    }
  }

  private async write(before: Times, after: Times): Promise<void> {
    const text = JSON.stringify(after);
    if (text === JSON.stringify(before)) return;
    if (text === '{}') await this.fs.remove(this.path);
    else await this.fs.writeText(this.path, text);
  }
}
