import type { ReplyToolCall } from './types';

/** Splits a text into pieces of the given number of code points, so no piece tears a character. */
export function pieces(text: string, size: number): string[] {
  const points = [...text];
  const out: string[] = [];
  for (let at = 0; at < points.length; at += size) out.push(points.slice(at, at + size).join(''));
  return out;
}

/** The argument text of a call as it goes over the wire. */
export function argumentText(block: ReplyToolCall): string {
  return typeof block.arguments === 'string' ? block.arguments : JSON.stringify(block.arguments);
}
