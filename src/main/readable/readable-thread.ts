import { parentPort, workerData } from 'node:worker_threads';
import { nodeFs } from '../journal/file/fs';
import type { ReadableJob, ReadableReport } from './readable';
import { readableCopy } from './readable-copy';

/** Characters that are handed over together. */
const CHUNK_CHARS = 256 * 1024;

/** The thread's side: writes the copy, a chunk each time it is asked for one. */
async function* chunks({ journal, name, asked, place }: ReadableJob): AsyncGenerator<string, void, void> {
  const file = await nodeFs.open(journal, 'read');
  try {
    let text = '';
    for await (const piece of readableCopy(file, name, asked, place)) {
      text += piece;
      if (text.length < CHUNK_CHARS) continue;
      yield text;
      text = '';
    }
    yield text;
  } finally {
    await file.close();
  }
}

if (parentPort) {
  const port = parentPort;
  const writing = chunks(workerData as ReadableJob);
  const tell = (report: ReadableReport): void => port.postMessage(report);
  port.on('message', () => {
    writing.next().then(
      ({ done, value }) => tell(done === true ? { isDone: true } : { text: value as string }),
      (error: unknown) => tell({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
