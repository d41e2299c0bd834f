import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { cacheFolder } from '../support/cache';

const PACKAGE = '@mariozechner/pi-coding-agent';
const VERSION = '0.73.1';

/** The parts of the peer that are measured. Its own types stay with it; cases narrow what they use. */
export interface Peer {
  version: string;
  SessionManager: { open(path: string): PeerSession };
  buildSessionContext(entries: readonly unknown[], leafId?: string | null): { messages: unknown[] };
  findCutPoint(
    entries: readonly unknown[],
    startIndex: number,
    endIndex: number,
    keepRecentTokens: number,
  ): PeerCutPoint;
  estimateTokens(message: unknown): number;
  prepareCompaction(entries: readonly unknown[], settings: PeerCompactionSettings): unknown;
}
export interface PeerSession {
  getEntries(): { id: string; type: string }[];
  getBranch(fromId?: string): { id: string; type: string }[];
  getLeafId(): string | null;
  buildSessionContext(): { messages: unknown[] };
}
interface PeerCutPoint {
  firstKeptEntryIndex: number;
  turnStartIndex: number;
  isSplitTurn: boolean;
}
interface PeerCompactionSettings {
  enabled: boolean;
  reserveTokens: number;
  keepRecentTokens: number;
}

/**
 * Installs a package that ours is held against once into the cache, outside the project's dependencies, without its
 * install scripts and its peers.
 * @returns its folder.
 */
export async function installPeer(name: string, version: string): Promise<string> {
  const folder = join(cacheFolder(), 'peer', `${name.split('/').at(-1)}-${version}`);
  const installed = join(folder, 'node_modules', ...name.split('/'));
  if (existsSync(installed)) return installed;

  console.log(`installing ${name}@${version} into ${folder}`);
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    writeFileSync(join(work, 'package.json'), JSON.stringify({ private: true }));
    const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'];
    await execa('npm', ['install', ...flags, '--save-exact', `${name}@${version}`], { cwd: work });
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return installed;
}

/**
 * Loads the peer that our figures are held against.
 * @throws when it cannot be installed (no network on the first run) or misses a part (another version).
 */
export async function loadPeer(): Promise<Peer> {
  const folder = await installPeer(PACKAGE, VERSION);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { main: string; version: string };
  const load = async (path: string) =>
    (await import(pathToFileURL(join(folder, path)).href)) as Record<string, unknown>;
  const modules = { ...(await load('dist/core/compaction/compaction.js')), ...(await load(manifest.main)) };
  const parts = ['SessionManager', 'buildSessionContext', 'findCutPoint', 'estimateTokens', 'prepareCompaction'];
  const missing = parts.filter((part) => typeof modules[part] !== 'function');
  if (missing.length > 0) throw new Error(`${PACKAGE}@${manifest.version} has no ${missing.join(', ')}`);
  return { ...modules, version: manifest.version } as unknown as Peer;
}
