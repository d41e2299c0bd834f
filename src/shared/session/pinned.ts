import type { ImageBlock, SessionEntry, TextBlock, UserMessage } from './entry';
import { escapeSectionTags } from './escape-tags';
import {
  blocksOf,
  fileMentionText,
  isMissingImage,
  isText,
  MISSING_IMAGE,
  textAndImagesOf,
  textOf,
} from './message-text';
import { isRecord } from '../own';
import type { SessionTree } from './tree';
import type { TreeNode } from './tree-node';
import { removes } from './view-edits';
import type { ViewEdit } from './view-edits';

/**
 * Finds pinned entries that a context hides: before the kept range of a compaction, or in the region of a branch summary
 * (PN2). Each is found once, at the first place that covers it.
 */
export class PinFinder {
  private readonly onPath: Set<TreeNode>;
  private readonly seen = new Set<TreeNode>();

  constructor(
    private readonly tree: SessionTree,
    private readonly path: readonly TreeNode[],
    private readonly pins: ReadonlySet<string>,
    private readonly edits: ReadonlyMap<string, ViewEdit> | null,
  ) {
    this.onPath = new Set(path);
  }

  /**
   * Pinned entries of path positions [start, end), those of branch summaries there included; path order.
   * @param kept entries of the path that count as pinned there
   */
  inRange(start: number, end: number, kept: ReadonlySet<TreeNode>): TreeNode[] {
    const found: TreeNode[] = [];
    for (const node of this.path.slice(start, end)) {
      if (kept.has(node) || this.isPinned(node)) found.push(node);
      if (isBranchSummary(node)) for (const pinned of this.inRegionOf(node)) found.push(pinned);
    }
    return found;
  }

  /**
   * Pinned entries of the region that a branch summary covers, oldest first; what a summary within that region covers follows
   * that summary.
   */
  inRegionOf(summary: TreeNode): TreeNode[] {
    const found: TreeNode[] = [];
    const open = [this.regionOf(summary)];
    for (let region = open.at(-1); region; region = open.at(-1)) {
      const node = region.pop();
      if (!node) {
        open.pop();
        continue;
      }
      if (this.isPinned(node)) found.push(node);
      if (isBranchSummary(node)) open.push(this.regionOf(node));
    }
    return found;
  }

  /** The entries from the abandoned leaf up to the path or to what was found already, newest first. */
  private regionOf(summary: TreeNode): TreeNode[] {
    const region: TreeNode[] = [];
    for (let node = this.abandonedLeaf(summary); node; node = node.parent) {
      if (this.onPath.has(node) || this.seen.has(node)) break;
      this.seen.add(node);
      region.push(node);
    }
    return region;
  }

  private isPinned(node: TreeNode): boolean {
    return this.pins.has(node.id) && node.facts.visible && !removes(this.edits?.get(node.id));
  }

  private abandonedLeaf(summary: TreeNode): TreeNode | null {
    return this.tree.node(textOf((summary.body as { fromId?: unknown } | undefined)?.fromId)) ?? null;
  }
}

function isBranchSummary(node: TreeNode): boolean {
  return node.facts.type === 'branch_summary' && node.facts.visible;
}

/** The one user message that carries hidden pinned entries word for word, images too (PN2). */
export function pinnedMessage(entries: readonly SessionEntry[], timestamp: number): UserMessage {
  const content: (TextBlock | ImageBlock)[] = [];
  let text = '<pinned>\nEarlier messages, word for word: what the person pinned, and the newest of what they said.';
  for (const entry of entries) {
    text += `\n\n[entry:${entry.id}] ${speakerOf(entry)}:\n`;
    for (const block of pinnedBlocks(entry)) {
      if (block.type === 'text') text += escapeSectionTags(block.text);
      else if (isMissingImage(block)) text += MISSING_IMAGE;
      else {
        content.push({ type: 'text', text }, block);
        text = '';
      }
    }
  }
  content.push({ type: 'text', text: `${text}\n</pinned>` });
  return { role: 'user', content, timestamp };
}

function speakerOf(entry: SessionEntry): string {
  if (entry.type !== 'message') return entry.type.replace('_', ' ');
  const { message } = entry as { message?: unknown };
  if (!isRecord(message)) return 'message';
  const { role } = message;
  if (role === 'toolResult') return `result of ${textOf(message.toolName)}`;
  if (role === 'bashExecution') return 'command of the user';
  return textOf(role);
}

function pinnedBlocks(entry: SessionEntry): (TextBlock | ImageBlock)[] {
  if (entry.type === 'branch_summary') return [asText(textOf((entry as { summary?: unknown }).summary))];
  if (entry.type === 'custom_message') return textAndImagesOf((entry as { content?: unknown }).content);
  const { message } = entry as { message?: unknown };
  if (!isRecord(message)) return [];
  switch (message.role) {
    case 'assistant':
      return replyBlocks(message.content);
    case 'bashExecution':
      return [asText(`${textOf(message.command)}\n${textOf(message.output)}`)];
    case 'pythonExecution':
      return [asText(`${textOf(message.code)}\n${textOf(message.output)}`)];
    case 'fileMention':
      return [asText(fileMentionText(message.files))];
    default:
      return textAndImagesOf(message.content);
  }
}

/** Text and calls of a reply; thinking is not a part of what was said. */
function replyBlocks(content: unknown): TextBlock[] {
  const blocks: TextBlock[] = [];
  for (const block of blocksOf(content)) {
    if (isText(block)) blocks.push(block);
    else if (block.type === 'toolCall')
      blocks.push(asText(`\n[call] ${textOf(block.name)}(${JSON.stringify(block.arguments)})`));
  }
  return blocks;
}

function asText(text: string): TextBlock {
  return { type: 'text', text };
}
