import { memo, useEffect, useReducer, useRef, useState } from 'react';
import { Button, cx } from '../../ui';
import { BlockView } from './block';
import { type Block, BlockStream, cachedBlocks, keepBlocks } from './block-stream';
import { elementsOf, NS_ELEMENT, weigh } from './fit-tokens';
import { chargeAhead, chargeFrame, hasRoom, inNextFrame } from './frame-room';
import styles from './markdown.module.css';
import { costOfFormulas } from './math';

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

/**
 * Of one message before “Show more”: some forty pages of words. Elements are taken away all at once, when another session is
 * shown, and all of the text is laid out again when the window gets another width.
 */
const PAGE = { characters: 150_000, elements: 3_000, weight: 18_000 };
interface MarkdownProps {
  text: string;
  /** Names this text for the cache: entry id and content index. */
  cacheKey: string;
  /** Single line ends break the line: for what people type. */
  breaks?: boolean;
}

/** A finished text as markdown. */
export const Markdown = memo(function Markdown({ text, cacheKey, breaks }: MarkdownProps) {
  return <PacedBlocks text={text} cacheKey={cacheKey} streaming={false} breaks={breaks} />;
});

interface MarkdownStreamProps {
  text: string;
  cacheKey: string;
  /** More is coming; a caret marks where. */
  streaming: boolean;
}

/**
 * A text that grows, or grew: finished blocks are frozen, a chunk paints the last one or two, and the end of the stream
 * changes nothing that stands. A text that never grew here comes from the cache.
 */
export const MarkdownStream = memo(function MarkdownStream(props: MarkdownStreamProps) {
  return <PacedBlocks {...props} />;
});

const NO_BLOCKS: readonly Block[] = [];

interface PacedBlocksProps extends MarkdownStreamProps {
  breaks?: boolean;
}

/** Reads and draws as much of a text in each frame as the frame has room for; short ones at once, long ones page by page. */
function PacedBlocks({ text, cacheKey, streaming, breaks }: PacedBlocksProps) {
  const [, goOn] = useReducer((count: number) => count + 1, 0);
  const [pages, setPages] = useState(1);
  const reader = useRef<PacedReader>(undefined);
  const holder = useRef<HTMLDivElement>(null);
  const drawn = useRef({ count: 0, weight: 0, elements: 0, frames: 0 });

  const known = streaming || reader.current ? null : cachedBlocks(cacheKey, text);
  if (!known) reader.current ??= new PacedReader();
  const blocks = known ?? reader.current?.update(text, !streaming, pages * PAGE.characters) ?? NO_BLOCKS;
  const isRead = known !== null || reader.current?.isWhole === true;
  const left = draw(blocks, drawn.current, pages);
  const isFull = left === 'page' || (left === 'nothing' && !isRead && text.length > pages * PAGE.characters);
  const isWhole = isRead && left === 'nothing';

  // oxlint-disable-next-line react/exhaustive-deps -- once more after each drawing, until all of it is drawn
  useEffect(() => {
    if (isWhole || isFull) return;
    drawn.current.frames += 1;
    return inNextFrame(goOn);
  });
  useEffect(() => {
    if (isRead && !streaming) keepBlocks(cacheKey, text, blocks);
  }, [isRead, streaming, cacheKey, text, blocks]);
  useEffect(() => {
    // Measured once, for the next time: a row that comes back keeps its height while it is drawn again.
    if (isWhole && drawn.current.frames > 0) keepHeight(cacheKey, holder.current);
  }, [isWhole, cacheKey]);

  const height = isWhole || isFull ? undefined : (heights.get(cacheKey) ?? likelyHeight(text));
  return (
    <div
      ref={holder}
      className={cx(styles.markdown, breaks && styles.breaks, streaming && styles.caret)}
      style={height === undefined || streaming ? undefined : { minHeight: height }}
    >
      {grouped(blocks.slice(0, drawn.current.count)).map((group, index) => (
        <BlockGroup key={index} blocks={group} />
      ))}
      {isFull && <More onPress={() => setPages(pages + 1)} />}
    </div>
  );
}

function More({ onPress }: { onPress: () => void }) {
  return (
    <p className={styles.note} data-chrome data-rest>
      This message is very long.{' '}
      <Button tone="link" onClick={onPress}>
        Show more
      </Button>
    </p>
  );
}

/** Takes as many blocks as the frame and the page have room for. Returns what the rest waits for. */
function draw(
  blocks: readonly Block[],
  drawn: { count: number; weight: number; elements: number },
  pages: number,
): 'nothing' | 'frame' | 'page' {
  if (drawn.count > blocks.length) drawn.count = blocks.length;
  for (; drawn.count < blocks.length; drawn.count += 1) {
    const block = blocks[drawn.count];
    if (!block) break;
    if (drawn.weight >= pages * PAGE.weight || drawn.elements >= pages * PAGE.elements) return 'page';
    if (!hasRoom()) return 'frame';
    const weight = weigh(block.token);
    drawn.weight += weight;
    drawn.elements += elementsOf(block.token);
    chargeFrame(weight * NS_ELEMENT);
    chargeAhead(costOfFormulas(block.token));
  }
  return 'nothing';
}

const LINE_PX = 24;
const CHARS_A_LINE = 76;
const MOST_LIKELY_PX = 4_000;

/** Pixels that are held for a text of which nothing was measured: a row whose place was held is not drawn flat first. */
function likelyHeight({ length }: string): number {
  return Math.min(MOST_LIKELY_PX, Math.max(1, Math.ceil(length / CHARS_A_LINE)) * LINE_PX);
}

const MAX_HEIGHTS = 200;
const heights = new Map<string, number>();

function keepHeight(cacheKey: string, element: HTMLElement | null): void {
  if (!element) return;
  heights.delete(cacheKey);
  heights.set(cacheKey, element.offsetHeight);
  if (heights.size > MAX_HEIGHTS) heights.delete(heights.keys().next().value ?? '');
}

/** Blocks that are looked at together: of a long message a chunk touches the last group alone, in React and in the layout. */
const GROUP = 32;

const BlockGroup = memo(
  function BlockGroup({ blocks }: { blocks: readonly Block[] }) {
    return (
      <div className={styles.group}>
        {blocks.map((block, index) => (
          <BlockView key={index} block={block} />
        ))}
      </div>
    );
  },
  (a, b) => a.blocks.length === b.blocks.length && a.blocks.every((block, index) => block === b.blocks[index]),
);

/** No group ends in a heading: what follows it stands nearer. */
function grouped(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = [];
  let group: Block[] | undefined;
  for (const block of blocks) {
    if (!group || (group.length >= GROUP && group.at(-1)?.token.type !== 'heading')) groups.push((group = []));
    group.push(block);
  }
  return groups;
}
