import type { ExtensionFault } from '@shared/extensions/view';

/** What went wrong, as it is told. */
export interface Fault {
  event: string;
  error: string;
  stack?: string;
}

/** Of one extension; the same fault again counts up. */
const MAX_FAULTS = 30;
const MAX_ERROR = 2_000;
const MAX_STACK = 8_000;

/** What extensions did wrong (EX17): newest first, by extension. */
export class FaultLog {
  private readonly faults = new Map<string, ExtensionFault[]>();

  constructor(private readonly now: () => number) {}

  /** True: it is the first of its kind. */
  note(extensionId: string, { event, error, stack }: { event: string; error: string; stack?: string }): boolean {
    const cut = error.slice(0, MAX_ERROR);
    const known = this.faults.get(extensionId) ?? [];
    const same = known.find((fault) => fault.event === event && fault.error === cut);
    const others = known.filter((fault) => fault !== same);
    const next: ExtensionFault = { event, error: cut, at: this.now(), count: (same?.count ?? 0) + 1 };
    if (stack !== undefined) next.stack = stack.slice(0, MAX_STACK);
    this.faults.set(extensionId, [next, ...others].slice(0, MAX_FAULTS));
    return !same;
  }

  of(extensionId: string): ExtensionFault[] {
    return [...(this.faults.get(extensionId) ?? [])];
  }

  /** It is loaded again: what was is over. */
  forget(extensionId: string): void {
    this.faults.delete(extensionId);
  }
}
