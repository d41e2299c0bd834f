import { createHash } from 'node:crypto';
import type { AskConsent } from '../consent/consent';
import { definitionHash, parseServers } from './config/definition';
import type { McpBook } from './book';
import { tokensOf, type McpTools } from './mcp-tools';
import type { OwnServers } from './own-servers';
import { type FoundServer, keyOf, type McpServers } from './servers';
import { commandLine, readOnlyQuestion, startQuestion } from './start-question';
import { visibleString } from '@shared/policy/visible-text';
import { cut } from './process/offered-tools';
import type { McpDetails, McpEntry, McpList, McpServerView, McpStatus } from '@shared/mcp';

export interface McpDeskOptions {
  servers: McpServers;
  tools: McpTools;
  book: McpBook;
  own: OwnServers;
  ask: AskConsent;
  isTrusted: (folder: string) => Promise<boolean>;
  workspaceOf: (sessionId: string) => string;
  openLink: (url: string) => Promise<boolean>;
}

const MAX_SHOWN_DESCRIPTION = 240;
const GONE = 'This server is no longer in its file. Nothing was changed.';

/** What the window asks about servers. Nothing starts but what the person agreed to in main's own window. */
export class McpDesk {
  constructor(private readonly options: McpDeskOptions) {}

  async list(sessionId: string): Promise<McpList> {
    const { servers, isTrusted, workspaceOf, tools } = this.options;
    const folder = workspaceOf(sessionId);
    const [{ servers: found, problems }, trusted] = await Promise.all([servers.find(folder), isTrusted(folder)]);
    // A file that was changed by hand counts from when it is looked at.
    servers.follow(sessionId, folder);
    return {
      servers: found.map((server) => this.viewOf(server, folder, trusted)),
      problems: problems.map(visibleString),
      isSearched: tools.toolsOf(sessionId).some(({ name }) => name === 'tool_search'),
    };
  }

  async details(sessionId: string, serverId: string): Promise<McpDetails> {
    const folder = this.options.workspaceOf(sessionId);
    const server = await this.find(serverId, folder);
    const instance = this.options.servers.instanceOf(server, folder);
    const { toolsOff, trustsReadOnly } = this.options.book.choices(server);
    return {
      tools: (instance?.offer?.tools ?? []).map(({ name, description, schema, readOnly }) => ({
        ...{ name, readOnly, description: cut(description, MAX_SHOWN_DESCRIPTION), isOn: !toolsOff.includes(name) },
        tokens: tokensOf([{ name, description, parameters: schema }]),
      })),
      log: [...(instance?.log ?? [])],
      trustsReadOnly,
    };
  }

  /** @throws RangeError for the person */
  async add(sessionId: string, name: string, entry: McpEntry): Promise<boolean> {
    const { own, book, ask, servers } = this.options;
    const file = await own.read();
    if (file.servers.some(([other]) => other === name)) throw new RangeError(`There is a server ${name} already.`);
    const { servers: parsed, problems } = parseServers({ mcpServers: { [name]: entry } });
    const definition = parsed.get(name);
    if (!definition) throw new RangeError(problems[0] ?? 'This server can’t be used.');
    const { origin } = file;
    const hash = definitionHash(name, definition, origin);
    const server = { key: keyOf(origin, name), name, definition, origin, hash, behind: null };
    if ((await ask(startQuestion(server, this.options.workspaceOf(sessionId)))) !== 'start') return false;
    await own.set(name, { ...entry });
    await book.agree(server);
    await servers.refresh();
    return true;
  }

  async remove(sessionId: string, serverId: string): Promise<void> {
    const server = await this.find(serverId, this.options.workspaceOf(sessionId));
    if (server.origin.kind !== 'espalier')
      throw new RangeError(`This server is in ${server.origin.file}. Remove it there.`);
    await this.options.own.set(server.name, undefined);
    await this.options.servers.refresh();
  }

  /** The definition that was shown is the one that is agreed to, whatever its file says by then. */
  async review(sessionId: string, serverId: string): Promise<boolean> {
    const folder = this.options.workspaceOf(sessionId);
    const server = await this.find(serverId, folder);
    if (server.origin.folder !== undefined && !(await this.options.isTrusted(folder)))
      throw new RangeError('This folder is not trusted, so no server of it is started. Trust the folder first.');
    if ((await this.options.ask(startQuestion(server, folder))) !== 'start') return false;
    await this.options.book.agree(server);
    await this.options.servers.refresh();
    return true;
  }

  async switchOff(sessionId: string, serverId: string): Promise<void> {
    const server = await this.find(serverId, this.options.workspaceOf(sessionId));
    await this.options.book.choose(server, { off: true });
    await this.options.servers.refresh();
  }

  async restart(sessionId: string, serverId: string): Promise<void> {
    const folder = this.options.workspaceOf(sessionId);
    const server = await this.find(serverId, folder);
    await this.options.servers.join(sessionId, folder);
    await this.options.servers.instanceOf(server, folder)?.restart();
  }

  /** Resolves when the person has signed in. @throws Error for the person */
  async signIn(sessionId: string, serverId: string): Promise<void> {
    const folder = this.options.workspaceOf(sessionId);
    const server = await this.find(serverId, folder);
    await this.options.servers.signIn(server, folder, this.options.openLink).catch((error: unknown) => {
      throw new RangeError(`You are not signed in. ${(error as Error).message}`, { cause: error });
    });
  }

  async signOut(sessionId: string, serverId: string): Promise<void> {
    const folder = this.options.workspaceOf(sessionId);
    await this.options.servers.signOut(await this.find(serverId, folder), folder);
  }

  async setTool(sessionId: string, serverId: string, tool: string, on: boolean): Promise<void> {
    const server = await this.find(serverId, this.options.workspaceOf(sessionId));
    const others = this.options.book.choices(server).toolsOff.filter((other) => other !== tool);
    await this.options.book.choose(server, { toolsOff: on ? others : [...others, tool] });
    await this.options.servers.refresh();
  }

  async trustReadOnly(sessionId: string, serverId: string, on: boolean): Promise<void> {
    const folder = this.options.workspaceOf(sessionId);
    const server = await this.find(serverId, folder);
    const marked =
      this.options.servers.instanceOf(server, folder)?.offer?.tools.filter(({ readOnly }) => readOnly) ?? [];
    const names = marked.map(({ name }) => name);
    if (on && (await this.options.ask(readOnlyQuestion(server, names))) !== 'believe') return;
    await this.options.book.choose(server, { trustsReadOnly: on });
    await this.options.servers.refresh();
  }

  private viewOf(server: FoundServer, folder: string, isTrusted: boolean): McpServerView {
    const { name, origin, definition } = server;
    const instance = this.options.servers.instanceOf(server, folder);
    const rest = this.options.servers.restOf(server, isTrusted);
    const status: McpStatus = rest ?? instance?.state ?? 'stopped';
    const { toolsOff } = this.options.book.choices(server);
    const tools = status === 'ready' ? (instance?.offer?.tools ?? []) : [];
    const on = tools.filter((tool) => !toolsOff.includes(tool.name));
    return {
      ...{ id: idOf(server), name, file: origin.file, ofFolder: origin.folder !== undefined, status },
      isOwn: origin.kind === 'espalier',
      reach: cut(definition.kind === 'http' ? definition.url : commandLine(definition), 1_000),
      isRemote: definition.kind === 'http',
      isSignedIn: this.options.servers.isSignedIn(server),
      problem: rest === 'behind' && server.behind ? server.behind.file : (instance?.problem ?? ''),
      ...{ tools: tools.length, toolsOff: tools.length - on.length },
      tokens: tokensOf(on.map(({ schema, ...tool }) => ({ ...tool, parameters: schema }))),
    };
  }

  private async find(serverId: string, folder: string): Promise<FoundServer> {
    const { servers } = await this.options.servers.find(folder);
    const server = servers.find((one) => idOf(one) === serverId);
    if (!server) throw new RangeError(GONE);
    return server;
  }
}

/** A name that only this list gives a meaning to; it is another one as soon as the definition is, so that no answer is about something else. */
function idOf({ key, hash }: FoundServer): string {
  return createHash('sha256').update(`${key}\n${hash}`).digest('hex').slice(0, 32);
}
