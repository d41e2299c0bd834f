import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isRecord } from '@shared/checks';
import { MAX_TOOL_OUTPUT_BYTES, MAX_TOOL_OUTPUT_LINES } from '@shared/limits';
import type { McpPart, McpResult } from './messages';
import { textOf } from './offered-tools';

/** What is left of a text that is more than a result carries: its beginning and its end, with room for the words between them. */
const START = { bytes: MAX_TOOL_OUTPUT_BYTES - 12 * 1024, lines: MAX_TOOL_OUTPUT_LINES - 300 };
const END = { bytes: 8 * 1024, lines: 200 };
const MAX_IMAGES = 8;
const MAX_IMAGE_CHARS = 5_000_000;
const MAX_FILE_CHARS = 50 * 1024 * 1024;
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What a server answered to a call, as a result: its text within a bound and whole in a file, its images, all else in words. */
export async function boundedResult(answer: unknown, outputFile: string): Promise<McpResult> {
  const { content, isError } = readAnswer(answer);
  const images: McpPart[] = [];
  const texts: string[] = [];
  for (const block of content) {
    const image = imageOf(block);
    if (image === null) texts.push(wordsOf(block));
    else if (images.length < MAX_IMAGES) images.push(image);
    else texts.push('[An image was left out: there are too many in this result.]');
  }
  const all = texts.filter((text) => text !== '').join('\n');
  const kept = isTooLong(all) ? await keepWhole(all, outputFile) : undefined;
  const text = kept === undefined ? all : `${shorten(all)}\n${kept.words}`;
  const isEmpty = text === '' && images.length === 0;
  const parts: McpPart[] = text === '' && !isEmpty ? [] : [{ type: 'text', text: isEmpty ? '(no output)' : text }];
  return { content: [...parts, ...images], isError, fullOutputPath: kept?.path, totalChars: all.length };
}

/** What is no result of a call is one that says so: a lie of the server is not the model's fault. */
function readAnswer(answer: unknown): { content: unknown[]; isError: boolean } {
  if (!isRecord(answer)) return { content: ['The server’s answer can’t be read as a result.'], isError: true };
  const { content, structuredContent, isError } = answer;
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  // What a server gives in both forms is the same.
  if (blocks.length > 0 || structuredContent === undefined) {
    if (content !== undefined && !Array.isArray(content))
      return { content: ['The server answered with a result that has no list of contents.'], isError: true };
    return { content: blocks, isError: isError === true };
  }
  return { content: [JSON.stringify(structuredContent, null, 2)], isError: isError === true };
}

function imageOf(block: unknown): McpPart | null {
  if (!isRecord(block) || block.type !== 'image') return null;
  const { data, mimeType } = block;
  if (typeof data !== 'string' || typeof mimeType !== 'string' || !IMAGES.has(mimeType)) return null;
  return data.length <= MAX_IMAGE_CHARS && BASE64.test(data) ? { type: 'image', data, mimeType } : null;
}

function wordsOf(block: unknown): string {
  if (typeof block === 'string') return block;
  if (!isRecord(block)) return '[Content of an unknown form]';
  if (block.type === 'text') return textOf(block.text);
  const resource = isRecord(block.resource) ? block.resource : block;
  const uri = textOf(resource.uri).slice(0, 2_000);
  if (block.type === 'resource_link') return `[A resource: ${textOf(block.name).slice(0, 200)} ${uri}]`;
  if (block.type === 'resource' && typeof resource.text === 'string') return `${uri}\n${resource.text}`;
  const kind = textOf(block.mimeType) || textOf(resource.mimeType) || textOf(block.type) || 'unknown';
  const data = textOf(block.data) || textOf(resource.blob);
  return `[Not shown: ${kind.slice(0, 100)}, ${data.length.toLocaleString('en-US')} characters]`;
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > MAX_TOOL_OUTPUT_BYTES - 1_024 || countLines(text) > MAX_TOOL_OUTPUT_LINES - 20;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function shorten(text: string): string {
  const start = piece(text, START, (bytes) => text.slice(0, bytes))
    .slice(0, START.lines)
    .join('\n');
  const end = piece(text, END, (bytes) => text.slice(-bytes))
    .slice(-END.lines)
    .join('\n');
  const left = text.length - start.length - end.length;
  return `${start}\n[… ${left.toLocaleString('en-US')} characters left out …]\n${end}`;
}

/** The lines of as much of a text as has so many bytes. */
function piece(text: string, most: { bytes: number }, take: (chars: number) => string): string[] {
  let chars = Math.min(text.length, most.bytes);
  while (Buffer.byteLength(take(chars)) > most.bytes) chars = Math.floor(chars * 0.8);
  return take(chars).split('\n');
}

async function keepWhole(text: string, file: string): Promise<{ words: string; path?: string }> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text.slice(0, MAX_FILE_CHARS), { flag: 'wx', mode: 0o600 });
    const isCut = text.length > MAX_FILE_CHARS;
    return { words: `[${isCut ? 'The first part of it' : 'All of it'} is in ${file}]`, path: file };
  } catch {
    return { words: '[The whole could not be kept.]' };
  }
}
