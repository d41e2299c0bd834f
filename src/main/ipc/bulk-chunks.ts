import { z } from 'zod';
import { isLong, jsonPieces, splitJson } from '../large-json';
import { AppError } from './failure';
import { isTrustedSender, type Sender } from './request-gate';
import { BULK, type BulkChunks, type BulkName } from '@shared/ipc/contract';
import type { BulkPacket } from '@shared/ipc/names';

export type BulkSources = {
  [N in BulkName]: (params: BulkChunks[N]['params']) => AsyncIterable<BulkChunks[N]['chunk']>;
};

const OPEN = z.strictObject({
  name: z.enum(Object.keys(BULK) as BulkName[]),
  params: z.unknown(),
  bulkId: z.string().min(1).max(100),
});

/**
 * Checks who asks for bulk data and for what, then opens its source. A refused sender or parameter never reaches a source
 * (QS5). @throws AppError
 */
export function openBulk(
  sources: BulkSources,
  event: Sender,
  input: unknown,
  windowId: number | undefined,
): { name: BulkName; bulkId: string; chunks: AsyncIterable<unknown> } {
  if (!isTrustedSender(event, windowId)) throw new AppError('refused', 'This page may not ask Espalier for anything.');
  const opened = OPEN.safeParse(input);
  const params = opened.success ? BULK[opened.data.name].safeParse(opened.data.params) : undefined;
  if (!opened.success || !params?.success) throw new AppError('invalid', 'Espalier did not understand that request.');
  const { name, bulkId } = opened.data;
  const source = sources[name] as (input: unknown) => AsyncIterable<unknown>;
  return { name, bulkId, chunks: source(params.data) };
}

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
