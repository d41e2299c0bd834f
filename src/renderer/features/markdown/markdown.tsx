import { memo, useEffect, useRef } from 'react';
import { cx } from '../../ui';
import { BlockView } from './block';
import { cachedBlocks, keepBlocks } from './block-cache';
import { BlockStream, type Block } from './block-stream';
import styles from './markdown.module.css';

export interface MarkdownProps {
  text: string;
  /** Names this text for the cache: entry id and content index. */
  cacheKey: string;
  /** Single line ends break the line: for what people type. */
  breaks?: boolean;
}

/** A finished text as markdown. */
export const Markdown = memo(function Markdown({ text, cacheKey, breaks }: MarkdownProps) {
  return <Blocks blocks={cachedBlocks(cacheKey, text)} breaks={breaks} />;
});

export interface MarkdownStreamProps {
  text: string;
  cacheKey: string;
  /** More is coming; a caret marks where. */
  streaming: boolean;
}

/**
 * A text that grows, or grew: finished blocks are frozen, a chunk paints the last one or two, and the end of the stream
 * changes nothing that stands. A text that never grew here comes from the cache.
 */
export const MarkdownStream = memo(function MarkdownStream({ text, cacheKey, streaming }: MarkdownStreamProps) {
  const stream = useRef<BlockStream>(undefined);
  if (streaming) stream.current ??= new BlockStream();
  const blocks = stream.current?.update(text, !streaming) ?? cachedBlocks(cacheKey, text);
  useEffect(() => {
    if (!streaming) keepBlocks(cacheKey, text, blocks);
  }, [streaming, cacheKey, text, blocks]);
  return <Blocks blocks={blocks} caret={streaming} />;
});

/** Blocks that are looked at together: of a long message a chunk touches the last group alone, in React and in the layout. */
const GROUP = 32;

function Blocks({ blocks, breaks, caret }: { blocks: readonly Block[]; breaks?: boolean; caret?: boolean }) {
  return (
    <div className={cx(styles.markdown, breaks && styles.breaks, caret && styles.caret)}>
      {grouped(blocks).map((group, index) => (
        <BlockGroup key={index} blocks={group} />
      ))}
    </div>
  );
}

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
