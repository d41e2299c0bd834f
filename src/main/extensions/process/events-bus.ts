/** `pi.events`: the extensions of one session talk to each other. */
export class SharedEvents {
  private readonly listeners = new Map<string, Set<(data: unknown) => void>>();

  constructor(private readonly onError: (channel: string, error: unknown) => void) {}

  on = (channel: string, handler: (data: unknown) => void): (() => void) => {
    const known = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, known.add(handler));
    return () => known.delete(handler);
  };

  /** One that throws keeps no other from hearing. */
  emit = (channel: string, data: unknown): void => {
    for (const handler of [...(this.listeners.get(channel) ?? [])]) {
      void (async () => handler(data))().catch((error: unknown) => this.onError(channel, error));
    }
  };
}
