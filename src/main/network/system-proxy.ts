/** How long a request waits for the system's answer. Milliseconds, as below. */
const WAIT_MS = 3_000;
/** An answer that took longer was dear: it is kept for a while. One that comes at once is never kept, so that a change holds at once. */
const SLOW_MS = 1_000;
/** So long a slow answer is kept, or a question without an answer waited for, before it is asked anew. */
const KEPT_MS = 60_000;
const MAX_ORIGINS = 32;

interface Asked {
  at: number;
  /** The system has not answered yet. */
  isOpen: boolean;
  isSlow: boolean;
  answer: Promise<string>;
}

/**
 * What the system says of its proxy, with a bound: one that looks for it over the network, and hangs, costs the first request three
 * seconds and the next ones nothing.
 */
export class SystemProxy {
  private readonly asked = new Map<string, Asked>();

  /** @param ask as Chromium's `resolveProxy` */
  constructor(private readonly ask: (url: string) => Promise<string>) {}

  /** Such as `PROXY host:port; DIRECT`; null if nothing is said in time, an empty string if the system can't say. Never rejects. */
  async find({ href, origin }: URL): Promise<string | null> {
    const before = this.asked.get(origin);
    const isKept = before !== undefined && performance.now() - before.at < KEPT_MS && (before.isOpen || before.isSlow);
    const asked = isKept ? before : this.begin(href, origin);
    return asked.isOpen ? inTime(asked) : asked.answer;
  }

  private begin(href: string, origin: string): Asked {
    const at = performance.now();
    const answer = this.told(href);
    const asked: Asked = { at, isOpen: true, isSlow: false, answer };
    void answer.then(() => {
      asked.isOpen = false;
      asked.isSlow = performance.now() - at > SLOW_MS;
    });
    this.asked.delete(origin);
    this.asked.set(origin, asked);
    const [oldest] = this.asked.size > MAX_ORIGINS ? this.asked.keys() : [];
    if (oldest !== undefined) this.asked.delete(oldest);
    return asked;
  }

  private async told(href: string): Promise<string> {
    try {
      return await this.ask(href);
    } catch {
      return '';
    }
  }
}

async function inTime({ at, answer }: Asked): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), Math.max(0, at + WAIT_MS - performance.now()));
  });
  const said = await Promise.race([answer, late]);
  clearTimeout(timer);
  return said;
}
