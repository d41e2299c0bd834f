import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { commandPath } from '../commands/login-path';
import { allowedEnv } from '../commands/programs';
import { environmentWithKeys } from '../environment/keys';
import type { McpBook, McpChoices } from './book';
import type { McpFile } from './config/config-files';
import { definitionHash, expanded, foldName, type McpDefinition, type McpOrigin } from './config/definition';
import { Instance } from './instance';
import { McpLink, type McpPort } from './link';
import type { McpVault } from './vault';
import type { McpReach } from './process/messages';

/** A server that some file names. */
export interface FoundServer {
  /** What choices about it are kept under, and what the window names it by. */
  key: string;
  name: string;
  definition: McpDefinition;
  origin: McpOrigin;
  hash: string;
  /** Another one of the same name counts in its place: where that one is from. */
  behind: McpOrigin | null;
}

/** Why a server of a file is not started; null: it is. */
export type McpRest = 'behind' | 'off' | 'unasked' | 'untrusted' | null;

export interface McpServersOptions {
  startProcess: () => McpPort;
  book: McpBook;
  /** The files that count in a folder, in the order in which they count; null: those that count everywhere. */
  files: (folder: string | null) => Promise<McpFile[]>;
  isTrusted: (folder: string) => Promise<boolean>;
  onChange: () => void;
  /** What is kept of sign-ins. */
  vault: McpVault;
  warn: (message: string) => void;
  now?: () => number;
  backOff?: (failures: number) => number;
}

interface Running {
  instance: Instance;
  found: FoundServer;
  folder: string;
  members: Set<string>;
}

/** All servers of all sessions: one of a definition in a folder, however many sessions work there (EX20). */
export class McpServers {
  private readonly running = new Map<string, Running>();
  private readonly byNumber = new Map<number, Running>();
  private readonly folders = new Map<string, string>();
  private readonly signingIn = new Map<string, AbortController>();
  private next = 1;
  readonly link: McpLink;

  constructor(private readonly options: McpServersOptions) {
    this.link = new McpLink(options.startProcess, {
      log: (server, line) => this.byNumber.get(server)?.instance.note(line),
      changed: (server) => this.byNumber.get(server)?.instance.changed(),
      gone: (server, why) => this.byNumber.get(server)?.instance.gone(why),
      keep: (server, saved) => {
        const running = this.byNumber.get(server);
        if (running) void this.keep(running.found, saved);
      },
      lost: (why) => this.byNumber.forEach(({ instance }) => instance.gone(why)),
    });
  }

  /**
   * Starts what a session's folder has, and lets go of what it has no longer. Nobody need wait for it; it never rejects.
   * @param again also what failed before
   */
  async join(sessionId: string, folder: string, again = false): Promise<void> {
    this.folders.set(sessionId, folder);
    try {
      const found = (await this.find(folder)).servers;
      const isTrusted = await this.options.isTrusted(folder);
      if (this.folders.get(sessionId) !== folder) return;
      const wanted = found
        .filter((server) => this.restOf(server, isTrusted) === null)
        .map((server) => idOf(server, folder));
      for (const [id, running] of this.running)
        if (running.members.has(sessionId) && !wanted.includes(id)) this.release(id, sessionId);
      for (const server of found) {
        const id = idOf(server, folder);
        if (!wanted.includes(id)) continue;
        const running = this.running.get(id) ?? this.make(id, server, folder);
        running.members.add(sessionId);
        void running.instance.start(again);
      }
    } catch (error) {
      this.options.warn(`The MCP servers of a session could not be looked for: ${(error as Error).message}`);
    }
  }

  /** Looks again for a session that is open: a file may have been changed by hand. */
  follow(sessionId: string, folder: string): void {
    if (this.folders.has(sessionId)) void this.join(sessionId, folder);
  }

  /** The session is closed. */
  leave(sessionId: string): void {
    this.folders.delete(sessionId);
    for (const id of [...this.running.keys()]) this.release(id, sessionId);
  }

  /** What the person decided, or what a file says, has changed: every session gets what it should have now. */
  async refresh(): Promise<void> {
    await Promise.all([...this.folders].map(([sessionId, folder]) => this.join(sessionId, folder)));
    this.options.onChange();
  }

  /** The servers of a session that answer now, with what the person chose of them. */
  readyOf(sessionId: string): { server: FoundServer; instance: Instance; choices: McpChoices }[] {
    return [...this.running.values()].flatMap(({ found, instance, members }) =>
      members.has(sessionId) && instance.state === 'ready'
        ? [{ server: found, instance, choices: this.options.book.choices(found) }]
        : [],
    );
  }

  /** Every server that a file names, with what was wrong with the files. */
  async find(folder: string | null): Promise<{ servers: FoundServer[]; problems: string[] }> {
    const files = await this.options.files(folder);
    const first = new Map<string, McpOrigin>();
    const servers: FoundServer[] = [];
    for (const { origin, servers: named } of files) {
      for (const [name, definition] of named) {
        const hash = definitionHash(name, definition, origin);
        const key = keyOf(origin, name);
        if (servers.some((other) => other.key === key)) continue;
        servers.push({ key, name, definition, origin, hash, behind: first.get(foldName(name)) ?? null });
        if (!first.has(foldName(name))) first.set(foldName(name), origin);
      }
    }
    return { servers, problems: files.flatMap(({ problems }) => problems) };
  }

  restOf(server: FoundServer, isTrusted: boolean): McpRest {
    const { hash, definition, behind } = server;
    if (behind) return 'behind';
    if (!definition.enabled || this.options.book.choices(server).off) return 'off';
    if (!this.options.book.isAgreed(hash)) return 'unasked';
    return isTrusted ? null : 'untrusted';
  }

  /** The one that runs for a folder, or did. */
  instanceOf(server: FoundServer, folder: string): Instance | null {
    return this.running.get(idOf(server, folder))?.instance ?? null;
  }

  /**
   * Has the person sign in at a server, with their browser, and connects to it then. Resolves when that is done; it may take minutes.
   * @param open shows them the address; null: they did not want to see it
   */
  async signIn(server: FoundServer, folder: string, open: (url: string) => Promise<boolean>): Promise<void> {
    const running = this.running.get(idOf(server, folder));
    const reach = await reachOf(server.definition, folder, (url) => this.options.vault.get(server.key, url));
    if (!running || reach.kind !== 'http') throw new RangeError('This server is not used in the session that is open.');
    this.signingIn.get(server.key)?.abort();
    const controller = new AbortController();
    this.signingIn.set(server.key, controller);
    const onOpen = (url: string): void =>
      void open(url).then(
        (isOpened) => isOpened || controller.abort(),
        () => controller.abort(),
      );
    const { url, oauth } = reach;
    const params = { server: running.instance.number, url, oauth };
    try {
      await this.link.ask('signIn', params, { signal: controller.signal, onOpen, deadlineMs: SIGN_IN_MS });
    } finally {
      if (this.signingIn.get(server.key) === controller) this.signingIn.delete(server.key);
    }
    await running.instance.restart();
  }

  async signOut(server: FoundServer, folder: string): Promise<void> {
    await this.options.vault.remove(server.key);
    await this.running.get(idOf(server, folder))?.instance.restart();
  }

  isSignedIn({ key, definition }: FoundServer): boolean {
    return definition.kind === 'http' && this.options.vault.has(key);
  }

  private async keep({ key, definition }: FoundServer, saved: string): Promise<void> {
    if (definition.kind !== 'http') return;
    try {
      await this.options.vault.set(key, expanded(definition, environmentWithKeys()).url, saved);
    } catch (error) {
      this.options.warn(`A sign-in at an MCP server could not be kept: ${(error as Error).message}`);
    }
  }

  async close(): Promise<void> {
    const all = [...this.running.values()];
    this.running.clear();
    // In order first, at once where that takes longer than a person waits.
    const stopped = Promise.allSettled(all.map(({ instance }) => instance.stop()));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([stopped, new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)))]);
    clearTimeout(timer);
    await this.link.close();
  }

  private make(id: string, found: FoundServer, folder: string): Running {
    const number = this.next++;
    const { onChange, now = Date.now, backOff } = this.options;
    const { definition } = found;
    const instance = new Instance({
      ...{ number, link: this.link, timeoutMs: definition.timeoutMs, onChange, now, backOff },
      reach: () => reachOf(definition, folder, (url) => this.options.vault.get(found.key, url)),
    });
    const running = { instance, found, folder, members: new Set<string>() };
    this.running.set(id, running);
    this.byNumber.set(number, running);
    return running;
  }

  private release(id: string, sessionId: string): void {
    const running = this.running.get(id);
    if (!running?.members.delete(sessionId) || running.members.size > 0) return;
    this.running.delete(id);
    void running.instance.stop().finally(() => this.byNumber.delete(running.instance.number));
  }
}

/** What choices about a server are kept under. */
export function keyOf({ kind, folder = '' }: McpOrigin, name: string): string {
  return [kind, folder, name].join('\n');
}

const CLOSE_MS = 1_500;
/** A person has so long to sign in, milliseconds. */
const SIGN_IN_MS = 10 * 60_000;

/** A program runs in a folder; a remote server is the same in all of them. */
function idOf({ hash, definition }: FoundServer, folder: string): string {
  return definition.kind === 'http' ? hash : `${hash} ${folder}`;
}

/** With the person's PATH, what commands get of the environment, and what the definition names (EX20): no key but one that it names. */
async function reachOf(
  definition: McpDefinition,
  folder: string,
  saved: (url: string) => string | null,
): Promise<McpReach> {
  const filled = expanded(definition, environmentWithKeys());
  if (filled.kind === 'http') {
    const { protocol } = new URL(filled.url);
    if (protocol !== 'https:' && protocol !== 'http:') throw new RangeError('Its address is not one of http or https.');
    const { url, headers, oauth } = filled;
    return { kind: 'http', url, headers, oauth: { ...oauth, saved: saved(url) } };
  }
  const env = { ...allowedEnv({ ...process.env, PATH: await commandPath() }), ...filled.env };
  const cwd = filled.cwd === undefined ? folder : atHome(filled.cwd);
  return {
    kind: 'stdio',
    command: atHome(filled.command),
    args: filled.args.map(atHome),
    env,
    cwd: isAbsolute(cwd) ? cwd : resolve(folder, cwd),
  };
}

function atHome(text: string): string {
  return text.startsWith('~/') ? join(homedir(), text.slice(2)) : text;
}
