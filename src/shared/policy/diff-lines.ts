/** One line of a diff as it is drawn. */
export interface DiffLine {
  /** `gap` begins a hunk and says where it is; `note` is about the line before it, or about the whole file. */
  kind: 'added' | 'removed' | 'context' | 'gap' | 'note';
  text: string;
}

const NO_NEWLINE = 'no newline at the end';

/** A unified diff as lines, without its file headers. What main says before them (binary content) is kept as a note. */
export function parseDiff(diff: string): DiffLine[] {
  const reader = new DiffReader(hasHunks(diff));
  const source = diff.replace(/\n$/, '').split('\n');
  return source.flatMap((line) => reader.line(line) ?? []);
}

export function hasHunks(diff: string): boolean {
  return diff.startsWith('@@') || diff.includes('\n@@');
}

/** Reads a unified diff line by line. */
export class DiffReader {
  private inHunk: boolean;

  /**
   * @param hasHeader file headers come first
   * @param isFirst no line has been drawn before
   */
  constructor(
    hasHeader: boolean,
    private isFirst = true,
  ) {
    this.inHunk = !hasHeader;
  }

  /** Nothing of the header can follow. */
  get isInHunk(): boolean {
    return this.inHunk;
  }

  /** What is drawn for the next line; null: nothing. */
  line(line: string): DiffLine | null {
    const drawn = this.read(line);
    if (drawn) this.isFirst = false;
    return drawn;
  }

  private read(line: string): DiffLine | null {
    if (line.startsWith('@@')) {
      const where = hunkWords(line);
      this.inHunk = true;
      return this.isFirst && where === '' ? null : { kind: 'gap', text: where };
    }
    if (!this.inHunk)
      return line.startsWith('---') || line.startsWith('+++') || /^=+$/.test(line)
        ? null
        : { kind: 'note', text: line };
    if (line.startsWith('\\ No newline')) return { kind: 'note', text: NO_NEWLINE };
    if (line.startsWith('\\ ')) return { kind: 'note', text: line.slice(2) };
    if (line.startsWith('+')) return { kind: 'added', text: line.slice(1) };
    if (line.startsWith('-')) return { kind: 'removed', text: line.slice(1) };
    return { kind: 'context', text: line.startsWith(' ') ? line.slice(1) : line };
  }
}

/** `lines 4–12` of the file as it will be; empty for a hunk that begins at its first line. */
function hunkWords(header: string): string {
  const found = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(header);
  const first = Number(found?.[1] ?? 1);
  const count = Number(found?.[2] ?? 1);
  if (first <= 1) return '';
  return count <= 1 ? `line ${first}` : `lines ${first}–${first + count - 1}`;
}
