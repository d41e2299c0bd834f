import { LineScanner } from './line-scanner';
import type { LineObserver } from './line-scanner';

/** Bytes of an unfinished line that count as progress; fewer are a drip. */
const PROGRESS_BYTES = 1024;

/** What the guard wants to know of a body, and its bounds. */
export interface BodyObserver extends LineObserver {
  /** Bytes after which the body is quietly ended (error pages need no more). */
  truncateAt: number;
  onProgress(bytes: number, longestLine: number): void;
  /** A whole line, or a KiB of one, has come. */
  onAdvance(): void;
  /** The connection broke; true = treat it as the regular end. */
  onBroken(error: unknown): boolean;
}

/**
 * Wraps a response body. Whole lines pass; `close` ends it as if the server had. Pull-driven, so an SDK that reads
 * slowly holds the socket back instead of filling memory.
 */
export function guardBody(
  body: ReadableStream<Uint8Array>,
  observer: BodyObserver,
): { stream: ReadableStream<Uint8Array>; close: () => void } {
  const reader = body.getReader();
  const scanner = new LineScanner(observer);
  let held = 0;

  const advance = (passed: boolean): void => {
    observer.onProgress(scanner.bytes, scanner.longestLine);
    if (passed || scanner.unfinishedBytes - held >= PROGRESS_BYTES) {
      held = scanner.unfinishedBytes;
      observer.onAdvance();
    }
  };
  const release = (): void => void reader.cancel().catch(() => undefined);

  const finish = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const rest = scanner.flush();
    observer.onProgress(scanner.bytes, scanner.longestLine);
    if (rest) controller.enqueue(rest);
    controller.close();
  };

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (;;) {
      const read = await reader.read().catch((error: unknown) => {
        if (observer.onBroken(error)) return { done: true as const, value: undefined };
        throw error;
      });
      if (read.done) return finish(controller);
      const lines = scanner.push(read.value);
      advance(lines !== null);
      if (lines && lines.length > 0) controller.enqueue(lines);
      if (scanner.ended || scanner.bytes >= observer.truncateAt) {
        release();
        return scanner.ended ? controller.close() : finish(controller);
      }
      // A pull that hands nothing on is not asked for again.
      if (lines && lines.length > 0) return;
    }
  };

  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        pull(controller).catch((error: unknown) => {
          release();
          throw error;
        }),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { stream, close: release };
}
