import { BlockStream, type Block } from '../../src/renderer/features/markdown/block-stream';

/** The blocks of a finished text. */
export function blocksOf(text: string): readonly Block[] {
  return new BlockStream().update(text, true);
}
