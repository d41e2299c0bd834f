import { BlockStream, type Block } from './block-stream';
import { chargeFrame, hasRoom } from './frame-room';

/** Characters that are read at once. */
const SLICE = 3_000;
/** The same for the beginning of a text that has come to its end: most messages are read in one go. */
const FIRST = 6_000;
/** The list of blocks is rebuilt with each slice. */
const NS_BLOCK = 20;
/** A character that is new, and one that was there: what was read is compared and put together with each slice. */
const NS_NEW = 20;
const NS_AGAIN = 2;
const CARRIAGE_RETURN = 13;

/** Reads a text as far as the frame has room: the rest follows in the next ones. */
export class PacedReader {
  private readonly stream = new BlockStream();
  private read = 0;
  private text = '';
  private blocks: readonly Block[] = [];
  /** Nothing follows the text, and its blocks know it. */
  private isEnded = false;
  private isDone = false;

  /**
   * Everything that was given has been read, its end as well. A stream that was read to its last character and only then said to
   * be done is not whole before there was room to freeze its last blocks: nothing else would ask for them again.
   */
  get isWhole(): boolean {
    return this.read === this.text.length && (this.isEnded || !this.isDone);
  }

  /**
   * The blocks of `text` as far as it is read.
   * @param done nothing follows it
   * @param most characters that are read in all
   */
  update(text: string, done: boolean, most: number): readonly Block[] {
    if (!text.startsWith(this.text.slice(0, this.read))) this.read = 0;
    if (!done || text !== this.text) this.isEnded = false;
    this.text = text;
    this.isDone = done;
    const end = Math.min(text.length, most);
    // What was read to its end may still have to be finished.
    let isDue = this.read < end || (done && !this.isEnded);
    while (isDue && hasRoom()) {
      const next = Math.max(this.read, this.next(end, done));
      this.isEnded = done && next === text.length;
      this.blocks = this.stream.update(text.slice(0, next), this.isEnded);
      chargeFrame(this.blocks.length * NS_BLOCK + (next - this.read) * NS_NEW + next * NS_AGAIN);
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
