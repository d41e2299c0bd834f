import { randomUUID } from 'node:crypto';
import { endProcesses } from './processes';
import { COMMAND_MARK } from './programs';

/** What is being ended. */
const ending = new Set<Promise<void>>();

/** What a process of ours starts while it runs code of others: nothing of it outlives that process (docs/specs/extensions.md EX12). */
export class Offspring {
  private readonly mark = randomUUID();

  /** What the process is to be started with; whoever it starts inherits it. */
  get env(): Record<string, string> {
    return { [COMMAND_MARK]: this.mark };
  }

  /** The process has ended: all that it started, and they in turn, is ended too. */
  end(): void {
    const work: Promise<void> = endProcesses({ mark: this.mark }, GRACE_MS)
      .catch(() => undefined)
      .finally(() => ending.delete(work));
    ending.add(work);
  }
}

/** After SIGTERM. Milliseconds. */
const GRACE_MS = 300;

/** Resolves when what was to end has ended. */
export async function offspringEnded(): Promise<void> {
  await Promise.all(ending);
}
