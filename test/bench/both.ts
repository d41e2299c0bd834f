import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { parseRecord } from '@shared/session/records/records';
import { SessionTree } from '@shared/session/tree/tree';
import type { Peer, PeerSession } from './peer';

/** One session file as both sides hold it. */
export interface Both {
  tree: SessionTree;
  peer: PeerSession;
}

/** Both sides with everything in memory: what is timed is the work on it, not the file. */
export async function loadBoth(peer: Peer, path: string): Promise<Both> {
  let tree: SessionTree | null = null;
  let seq = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const record = parseRecord(line);
    if (record.kind === 'header') tree = new SessionTree(record.header);
    else if (record.kind === 'entry') tree?.addEntry(record.entry, ++seq);
  }
  if (!tree) throw new Error(`${path} has no header`);
  tree.settleLeafAfterLoad();
  return { tree, peer: peer.SessionManager.open(path) };
}

/** Same messages, role by role and text by text; fields that are undefined on one side do not count. */
export function sameMessages(ours: readonly unknown[], theirs: readonly unknown[]): boolean {
  if (ours.length !== theirs.length) return false;
  return ours.every((message, index) => isDeepStrictEqual(plain(message), plain(theirs[index])));
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
