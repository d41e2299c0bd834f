import type { FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { AgentToolResult } from '../pi/pi-types';
import { readAtMost, withFile } from '../places/safe-open';
import type { ResolvedPath, Workspace } from '../places/workspace';
import type { ReadArgs } from './file-tools';
import { exactPlace, explainFileError, textResult, type ToolWork } from './gated-tool';
import {
  BINARY_SNIFF_BYTES,
  MAX_IMAGE_BYTES,
  MAX_LINE_COUNT_BYTES,
  MAX_TOOL_OUTPUT_BYTES,
  MAX_TOOL_OUTPUT_LINES,
} from '@shared/limits';
import type { ExactContent } from '@shared/policy/approval';

interface LineRange {
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
async function readLines(
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

interface ReadDetails {
  path: string;
  startLine?: number;
  endLine?: number;
  totalLines?: number;
  truncated: boolean;
  image?: { mimeType: string; bytes: number };
}

interface ReadPlan {
  target: ResolvedPath;
  offset: number;
  limit?: number;
}

/** `read`: a range of a text file, or an image. Binary files are refused. */
export function createReadTool(workspace: Workspace): ToolWork<ReadArgs, ReadPlan, ReadDetails> {
  return {
    async inspect(args) {
      const target = await workspace.resolve(args.path, 'read');
      const { location, isOnUnknownMount, refusal, failure } = target;
      const exact: ExactContent = { kind: 'path', path: target.path, ...exactPlace(target) };
      if (failure !== undefined) return { location, isOnUnknownMount, refusal, exact, scopes: {}, failure };
      const plan = { target, offset: args.offset ?? 1, limit: args.limit };
      return { location, isOnUnknownMount, refusal, exact, scopes: {}, plan };
    },
    async run(plan) {
      try {
        const work = (handle: FileHandle, { size }: { size: number }) => readOpened(plan, handle, size);
        return await withFile(plan.target.path, work, workspace.guard);
      } catch (error) {
        throw explainFileError(error, plan.target.shown);
      }
    },
  };
}

async function readOpened(plan: ReadPlan, handle: FileHandle, size: number): Promise<AgentToolResult<ReadDetails>> {
  const { shown } = plan.target;
  const head = Buffer.alloc(Math.min(size, BINARY_SNIFF_BYTES));
  await handle.read(head, 0, head.length, 0);
  const mimeType = imageType(head);
  if (mimeType !== undefined) return readImage(handle, size, shown, mimeType);
  const isUtf16 = head[0] === 0xff && head[1] === 0xfe;
  if (!isUtf16 && head.includes(0)) {
    throw new Error(
      `${shown} is a binary file (${size} bytes) and cannot be read as text. Use bash with a tool for its format.`,
    );
  }
  const limit = Math.min(plan.limit ?? MAX_TOOL_OUTPUT_LINES, MAX_TOOL_OUTPUT_LINES);
  const range = await readLines(handle, size, plan.offset, limit, isUtf16 ? 'utf16le' : 'utf8');
  return describeRange(range, plan);
}

function describeRange(range: LineRange, plan: ReadPlan): AgentToolResult<ReadDetails> {
  const { shown } = plan.target;
  const { lines, firstLine, totalLines } = range;
  if (lines.length === 0) {
    if (totalLines !== undefined && firstLine > Math.max(totalLines, 1)) {
      throw new Error(
        `${shown} has ${totalLines} ${totalLines === 1 ? 'line' : 'lines'}; there is no line ${firstLine}.`,
      );
    }
    return textResult('(empty file)', { path: shown, totalLines: 0, truncated: false });
  }
  const endLine = firstLine + lines.length - 1;
  const of = totalLines === undefined ? '' : ` of ${totalLines}`;
  const notes: string[] = [];
  if (range.cutLineBytes > 0) {
    notes.push(
      `[Line ${firstLine} is too long: ${range.cutLineBytes} more bytes of it are not shown. Use bash to cut it (for example: sed -n '${firstLine}p' file | cut -c 50000-100000).]`,
    );
  }
  if (range.hasMore) notes.push(`[Lines ${firstLine}-${endLine}${of}. Read on with offset=${endLine + 1}.]`);
  const text = notes.length > 0 ? `${lines.join('\n')}\n\n${notes.join('\n')}` : lines.join('\n');
  return textResult(text, {
    path: shown,
    startLine: firstLine,
    endLine,
    totalLines,
    truncated: range.hasMore || range.cutLineBytes > 0,
  });
}

async function readImage(
  handle: FileHandle,
  size: number,
  shown: string,
  mimeType: string,
): Promise<AgentToolResult<ReadDetails>> {
  const bytes = size > MAX_IMAGE_BYTES ? undefined : await readAtMost(handle, MAX_IMAGE_BYTES);
  if (!bytes) {
    throw new Error(
      `${shown} is an image of ${size} bytes; the largest that can be read has ${MAX_IMAGE_BYTES}. Make a smaller copy with bash and read that.`,
    );
  }
  return {
    content: [
      { type: 'text', text: `${shown} (${mimeType}, ${bytes.length} bytes)` },
      { type: 'image', data: bytes.toString('base64'), mimeType },
    ],
    details: { path: shown, truncated: false, image: { mimeType, bytes: bytes.length } },
  };
}

/** The image type by the first bytes; names lie. */
function imageType(head: Buffer): string | undefined {
  const ascii = head.subarray(0, 16).toString('latin1');
  if (ascii.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (ascii.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (ascii.startsWith('GIF87a') || ascii.startsWith('GIF89a')) return 'image/gif';
  if (ascii.startsWith('RIFF') && ascii.slice(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}
