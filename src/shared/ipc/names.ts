/** Channels of Electron's IPC, apart from the contract so that the preload needs no schema library. */
export const CHANNELS = {
  /** A `RequestMessage`: main knows the names, and refuses any other. */
  request: 'espalier:request',
  events: 'espalier:events',
  bulk: 'espalier:bulk',
  bulkPort: 'espalier:bulk-port',
  /** Paths of dropped files, from the preload alone: no request of the contract, so the page can't send it. */
  files: 'espalier:files',
  /** Long texts of a request that follows, from the preload alone. */
  part: 'espalier:part',
} as const;

/** What crosses for a request. */
export interface RequestMessage {
  name: string;
  params: unknown;
}

/** What goes over the port of a bulk request: a chunk, which ends the parts that came before it if there are any. */
export type BulkPacket = { chunk: unknown } | { part: string };

/** A part of the text of a large batch of events; the last one has none of it. */
export interface BatchPart {
  seq: number;
  /** Parts come in order, from 0 on. */
  at: number;
  text: string;
  isLast: boolean;
}
