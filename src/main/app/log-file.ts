import { closeSync, ftruncateSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { clearPlaceSync, openToAppendSync, type OwnAppend } from '../own-files/append-own';

const CURRENT = 'main.log';
/** Where it goes when it is full. */
const BEFORE = 'main.old.log';
const MAX_BYTES = 1024 * 1024;
const MOVED = 'Something other than a log file was in its place. It is kept next to it, ending in .bad and a number.';

/**
 * The log: files of 1 MB, one kept behind. It is reopened for each line, so that a line never goes through a link or into another program's
 * file, waits for no pipe, and a log that was taken away goes on in a fresh one (docs/specs/safety.md A10). Lines are few.
 */
export class LogFile {
  readonly path: string;
  private readonly before: string;

  constructor(
    dir: string,
    private readonly maxBytes = MAX_BYTES,
  ) {
    this.path = join(dir, CURRENT);
    this.before = join(dir, BEFORE);
  }

  /** Adds a line. False where nothing can be written; the next one is tried again. Never throws. */
  add(level: string, text: string, at = new Date()): boolean {
    const file = this.open();
    if (!file) return false;
    try {
      if (file.wasMoved) writeSync(file.descriptor, lineOf('warn', MOVED, at));
      writeSync(file.descriptor, lineOf(level, text, at));
      return true;
    } catch {
      // A full disk, almost always: the log is the last thing that it is needed for.
      return false;
    } finally {
      closeSync(file.descriptor);
    }
  }

  /** For a program that writes lines of its own: a descriptor needs no name that could lead elsewhere by then. Null where there is none. */
  open(): OwnAppend | null {
    const file = openToAppendSync(this.path);
    if (!file || file.size <= this.maxBytes) return file;
    if (this.rotate()) {
      closeSync(file.descriptor);
      const fresh = openToAppendSync(this.path);
      return fresh && { ...fresh, wasMoved: file.wasMoved || fresh.wasMoved };
    }
    // It can't be moved: it is bounded all the same.
    try {
      ftruncateSync(file.descriptor, 0);
    } catch {
      // A line too many, then.
    }
    return file;
  }

  private rotate(): boolean {
    try {
      // A rename replaces a name and opens nothing; only a folder would be in its way, and what is not a log is worth keeping.
      if (clearPlaceSync(this.before) === 'stays') return false;
      renameSync(this.path, this.before);
      return true;
    } catch {
      return false;
    }
  }
}

/** Further lines are indented: no text from outside, such as a file's name, can look like a line of the log. */
function lineOf(level: string, text: string, at: Date): string {
  const two = (value: number, length = 2): string => String(value).padStart(length, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${two(at.getMilliseconds(), 3)}`;
  return `[${day} ${time}] [${level}] ${text.replace(/\r\n?|\n/g, '\n    ')}\n`;
}

const SECRETS = [
  /\b(sk|pk|rk|gsk|xai|ghp|gho|ghu|AIza)[-_A-Za-z0-9]{12,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /((?:api[-_]?key|authorization|token|secret|password)["']?\s*[:=]\s*["']?)[^\s"',}]{6,}/gi,
];

/** Replaces what looks like a key or a token. The last line of defence: callers do not log such text at all. */
export function redact(text: string, known: ReadonlySet<string> = new Set()): string {
  let clean = text;
  for (const secret of known) if (secret.length >= 6) clean = clean.split(secret).join('[redacted]');
  for (const pattern of SECRETS) {
    clean = clean.replace(pattern, (_match, prefix: string | undefined) =>
      prefix && /[:=]/.test(prefix) ? `${prefix}[redacted]` : '[redacted]',
    );
  }
  return clean;
}
