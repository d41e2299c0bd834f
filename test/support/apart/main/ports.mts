import { EventEmitter } from 'node:events';

/** One end of a channel. What is posted before the other end listens waits for it. */
class PortMain extends EventEmitter {
  other: PortMain | null = null;
  #isStarted = false;
  #isClosed = false;
  readonly #waiting: unknown[] = [];

  postMessage(data: unknown): void {
    this.other?.receive(data);
  }

  receive(data: unknown): void {
    if (this.#isClosed) return;
    if (this.#isStarted) setImmediate(() => this.emit('message', { data, ports: [] }));
    else this.#waiting.push(data);
  }

  start(): void {
    this.#isStarted = true;
    for (const data of this.#waiting.splice(0)) this.receive(data);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { other } = this;
    setImmediate(() => {
      this.emit('close');
      other?.close();
    });
  }
}

export type { PortMain };

export class MessageChannelMain {
  readonly port1 = new PortMain();
  readonly port2 = new PortMain();
  constructor() {
    this.port1.other = this.port2;
    this.port2.other = this.port1;
  }
}
