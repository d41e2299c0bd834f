import { BlockStream, type Block } from './block-stream';
import { chargeFrame, hasRoom } from './frame-room';

/** Characters that are read at once. */
const SLICE = 3_000;
/** The same for the beginning of a text that has come to its end: most messages are read in one go. */
const FIRST = 6_000;
/** The list of blocks is made anew with each slice. */
const NS_BLOCK = 20;
const CARRIAGE_RETURN = 13;

/** Reads a text as far as the frame has room: the rest follows in the next ones. */
export class PacedReader {
  private readonly stream = new BlockStream();
  private read = 0;
  private text = '';
  private blocks: readonly Block[] = [];

  /** Everything that was given has been read. */
  get isWhole(): boolean {
    return this.read === this.text.length;
  }

  /**
   * The blocks of `text` as far as it is read.
   * @param done nothing follows it
   * @param most characters that are read in all
   */
  update(text: string, done: boolean, most: number): readonly Block[] {
    if (!text.startsWith(this.text.slice(0, this.read))) this.read = 0;
    this.text = text;
    const end = Math.min(text.length, most);
    // What was read to its end may still have to be finished.
    let isDue = this.read < end || done;
    while (isDue && hasRoom()) {
      const next = Math.max(this.read, this.next(end, done));
      this.blocks = this.stream.update(text.slice(0, next), done && next === text.length);
      chargeFrame(this.blocks.length * NS_BLOCK);
      isDue = next > this.read && next < end;
      this.read = next;
    }
    return this.blocks;
  }

  /** Where the next slice ends: not between the halves of one character or of one line end. */
  private next(end: number, done: boolean): number {
    const next = this.read + (this.read === 0 && done ? FIRST : SLICE);
    if (next >= end && done) return end;
    const at = Math.min(next, end);
    const unit = this.text.charCodeAt(at - 1);
    return unit === CARRIAGE_RETURN || (unit >= 0xd800 && unit <= 0xdbff) ? at - 1 : at;
  }
}
