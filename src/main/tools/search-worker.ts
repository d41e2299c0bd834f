/**
 * The searching half of `grep`, as text for a worker thread: a catastrophic expression then blocks that thread, which is
 * ended when its time is up, and never the main process. It is text because a worker file would need its own bundle entry
 * in the app and a loader in tests. Plain JavaScript for Node 18; it only reads, with the same re-check after opening as
 * safe-open.ts.
 */
export const SEARCH_WORKER_SOURCE = String.raw`
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const fs = require('node:fs');
const path = require('node:path');
const { source, flags, root, names, maxMatches, maxFileBytes, maxSearchChars, maxLineChars, context, sniffBytes } = workerData;
const expression = new RegExp(source, flags);
const flag = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW || 0) | (fs.constants.O_NONBLOCK || 0);
const hasProc = fs.existsSync('/proc/self/fd');

function readText(file) {
  let fd;
  try { fd = fs.openSync(file, flag); } catch { return undefined; }
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFile() || stats.size > maxFileBytes) return undefined;
    if (hasProc ? fs.readlinkSync('/proc/self/fd/' + fd) !== file : fs.realpathSync(file) !== file) return undefined;
    const bytes = fs.readFileSync(fd);
    return bytes.subarray(0, sniffBytes).includes(0) ? undefined : bytes.toString('utf8');
  } catch { return undefined; } finally { fs.closeSync(fd); }
}

const shorten = (line) => (line.length > maxLineChars ? line.slice(0, maxLineChars) + '…' : line);
let count = 0;
let isCut = false;
for (const name of names) {
  const text = readText(path.join(root, name));
  if (text === undefined) continue;
  const lines = text.split(/\r?\n/);
  const found = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index];
    if (!expression.test(line.length > maxSearchChars ? line.slice(0, maxSearchChars) : line)) continue;
    if (count === maxMatches) { isCut = true; break; }
    count += 1;
    const first = Math.max(0, index - context);
    const around = lines.slice(first, Math.min(lines.length, index + context + 1));
    found.push({ line: index + 1, first: first + 1, lines: around.map(shorten) });
  }
  if (found.length > 0) parentPort.postMessage({ name, found });
  if (isCut) break;
}
parentPort.postMessage({ done: true, isCut });
`;

export interface SearchWorkerData {
  source: string;
  flags: string;
  root: string;
  names: string[];
  maxMatches: number;
  maxFileBytes: number;
  maxSearchChars: number;
  maxLineChars: number;
  context: number;
  sniffBytes: number;
}

export interface FileMatches {
  name: string;
  found: { line: number; first: number; lines: string[] }[];
}

export type SearchWorkerMessage = FileMatches | { done: true; isCut: boolean };
