import { beginningOf } from '@shared/beginning';
import { tokensOfPins } from '@shared/compaction/pin-list';
import { pinsAt, type PinAt } from '@shared/session/pins-at';
import { rawOfPin } from '@shared/session/totals';
import type { SessionLog } from '../ports';
import { describeEntry } from './find-entry';

/** So many are named, the largest ones. */
const MOST_NAMED = 3;
const MAX_WORDS = 60;

/**
 * The pins of the path in a sentence or two, for a request that does not fit (PN3): what they take, and the largest by their first
 * words. Null: nothing is pinned. Where they can't be read the figures alone are told.
 * @param ratio tokens that one raw token is for the model
 */
export async function namePins(log: SessionLog, ratio: number): Promise<string | null> {
  const { tree } = log;
  const pins = pinsAt(tree, tree.leafId);
  if (pins.length === 0) return null;
  const figure = `Pinned messages are ${tokensOfPins(pins, ratio).toLocaleString('en-US')} tokens of it`;
  const names = await namesOf(log, pins).catch(() => []);
  const more = pins.length - names.length;
  const listed = names.length === 0 ? '' : `: ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`;
  return `${figure}${listed}. Unpinning them makes room; the meter lists them.`;
}

async function namesOf(log: SessionLog, pins: readonly PinAt[]): Promise<string[]> {
  const largest = [...pins].sort((a, b) => rawOfPin(b.node) - rawOfPin(a.node)).slice(0, MOST_NAMED);
  const names: string[] = [];
  // One after the other: each can be megabytes.
  for (const { node } of largest) {
    const found = await describeEntry(log, node.id, '');
    if (!found) continue;
    const { preview } = found;
    const words = preview.length > MAX_WORDS ? `${beginningOf(preview, MAX_WORDS).trimEnd()}…` : preview;
    names.push(words === '' ? 'a message without words' : `“${words}”`);
  }
  return names;
}
