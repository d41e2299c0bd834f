import type { BulkChunks, BulkName } from '@shared/ipc/contract';
import type { BulkPacket } from '@shared/ipc/names';
import { isLong, jsonPieces, splitJson } from '../large-json';

type LineChunk = BulkChunks['sync.lines']['chunk'];

/**
 * Many small objects cross to the page as text (`EspalierBridge`); lines are long texts already, which are copied faster than
 * escaped. One of many megabytes would be copied in one go: it goes as text in parts, which the preload puts together.
 */
export async function* pack(name: BulkName, chunks: AsyncIterable<unknown>): AsyncGenerator<BulkPacket, void, void> {
  for await (const chunk of chunks) {
    if (name !== 'sync.lines') yield { chunk: JSON.stringify(chunk) };
    else if (!(chunk as LineChunk).lines.some(({ line }) => isLong(line))) yield { chunk };
    else {
      for (const part of jsonPieces(splitJson(chunk))) yield { part };
      yield { chunk: '' };
    }
  }
}
