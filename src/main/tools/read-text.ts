import type { FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { MAX_LINE_COUNT_BYTES, MAX_TOOL_OUTPUT_BYTES } from '@shared/limits';

export interface LineRange {
  lines: string[];
  /** 1-based number of the first line given. */
  firstLine: number;
  /** Lines in the file; absent if the file is too large to count. */
  totalLines?: number;
  /** More lines follow the last one given. */
  hasMore: boolean;
  /** Bytes of the last line given that were left out, when one line alone is over the cap. */
  cutLineBytes: number;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads lines `firstLine` … `firstLine + maxLines - 1` (1-based), at most 50 KB, holding no more than that in memory,
 * whatever the file or its lines weigh. A UTF-8 BOM and the CR of CRLF are left out. Cost: O(file) up to 64 MB.
 */
export async function readLines(
  handle: FileHandle,
  size: number,
  firstLine: number,
  maxLines: number,
  encoding: 'utf8' | 'utf16le' = 'utf8',
): Promise<LineRange> {
  const collector = new LineCollector(firstLine, maxLines);
  const decoder = new StringDecoder(encoding);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    const text = decoder.write(buffer.subarray(0, bytesRead));
    collector.add(position === 0 ? text.replace(/^\ufeff/u, '') : text);
    position += bytesRead;
    if (collector.isFull && size > MAX_LINE_COUNT_BYTES) return collector.result(false);
  }
  collector.add(decoder.end());
  return collector.result(true);
}

class LineCollector {
  private readonly lines: string[] = [];
  private current = '';
  private currentDropped = 0;
  private lineNumber = 1;
  private bytes = 0;
  private cutLineBytes = 0;
  private sawText = false;
  isFull = false;

  constructor(
    private readonly firstLine: number,
    private readonly maxLines: number,
  ) {}

  add(text: string): void {
    if (text === '') return;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.extend(text, start, end);
      this.endLine();
      start = end + 1;
    }
    this.extend(text, start, text.length);
  }

  result(complete: boolean): LineRange {
    if (complete && this.sawText) this.endLine();
    const totalLines = complete ? this.lineNumber - 1 : undefined;
    const last = this.firstLine + this.lines.length - 1;
    return {
      lines: this.lines,
      firstLine: this.firstLine,
      totalLines,
      hasMore: totalLines === undefined || totalLines > last,
      cutLineBytes: this.cutLineBytes,
    };
  }

  private get isWanted(): boolean {
    return !this.isFull && this.lineNumber >= this.firstLine;
  }

  private extend(text: string, start: number, end: number): void {
    if (end > start) this.sawText = true;
    if (!this.isWanted || end <= start) return;
    const room = MAX_TOOL_OUTPUT_BYTES + 4 - this.current.length;
    const taken = text.slice(start, Math.min(end, start + Math.max(0, room)));
    this.current += taken;
    this.currentDropped += Buffer.byteLength(text.slice(start + taken.length, end));
  }

  private endLine(): void {
    if (this.isWanted) this.keepLine(this.current.endsWith('\r') ? this.current.slice(0, -1) : this.current);
    this.current = '';
    this.currentDropped = 0;
    this.sawText = false;
    this.lineNumber += 1;
  }

  private keepLine(line: string): void {
    const size = Buffer.byteLength(line) + 1;
    if (this.bytes + size + this.currentDropped <= MAX_TOOL_OUTPUT_BYTES + 1) {
      this.lines.push(line);
      this.bytes += size;
    } else {
      this.isFull = true;
      if (this.lines.length > 0) return;
      const cut = Buffer.from(line)
        .subarray(0, MAX_TOOL_OUTPUT_BYTES)
        .toString('utf8')
        .replace(/\ufffd$/u, '');
      this.cutLineBytes = size - 1 - Buffer.byteLength(cut) + this.currentDropped;
      this.lines.push(cut);
    }
    if (this.lines.length >= this.maxLines) this.isFull = true;
  }
}
