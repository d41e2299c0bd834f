import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { isRecord } from '@shared/checks';
import { boundedResult } from './bounded-result';
import type { McpOffer, McpReach, McpResource, McpResult } from './messages';
import { cut, MAX_TOOLS, offeredPrompts, offeredTools, textOf } from './offered-tools';
import { hasTokens, NO_CALLBACK, SignIn } from './sign-in';
import { StdioTransport } from './stdio-transport';
import { LineValve, Seldom } from './valve';

/** What a connection tells of itself. */
export interface ConnectionNews {
  log(line: string): void;
  gone(why: string): void;
  changed(): void;
  started(group: number): void;
  /** A group of processes that it was is gone. */
  ended(group: number): void;
  /** What is to be kept of a sign-in. */
  keep(saved: string): void;
}

/** Answers are looked at by ourselves, entry by entry: one that is not as it should be costs no other. */
const ANY = z.looseObject({});
const MAX_PAGES = 50;
const MAX_RESOURCES = 1_000;
const MAX_INSTRUCTIONS = 4_000;
const MAX_PROMPT_CHARS = 200_000;
/** Its tools are looked at again at most so often, progress is told at most so often. Milliseconds. */
const CHANGED_EVERY_MS = 2_000;
const PROGRESS_EVERY_MS = 50;

interface CallOptions {
  timeoutMs: number;
  signal: AbortSignal;
  onProgress?: (text: string) => void;
}

/** One server, by way of the official SDK (EX20). */
export class Connection {
  private readonly client: Client;
  private readonly transport: Transport;
  private readonly log: LineValve;
  private readonly changed: Seldom;
  private isEnding = false;

  constructor(
    reach: McpReach,
    private readonly timeoutMs: number,
    news: ConnectionNews,
    version: string,
  ) {
    this.client = new Client({ name: 'espalier', version }, { capabilities: {} });
    this.log = new LineValve((line) => news.log(line));
    this.changed = new Seldom(CHANGED_EVERY_MS, () => news.changed());
    const transport =
      reach.kind === 'stdio'
        ? new StdioTransport({
            ...reach,
            onStarted: (group) => news.started(group),
            onEnded: (group) => news.ended(group),
            onLog: (line) => this.log.take(line),
          })
        : httpTransport(reach, (saved) => news.keep(saved));
    this.transport = transport;
    this.client.onerror = (error) => this.log.take(`! ${cut(error.message, 500)}`);
    this.client.onclose = () => {
      if (!this.isEnding)
        news.gone((transport instanceof StdioTransport && transport.ending) || 'It was disconnected.');
    };
    this.client.fallbackNotificationHandler = async ({ method, params }) => {
      if (method === 'notifications/message')
        this.log.take(cut(`${textOf(params?.level)} ${words(params?.data)}`, 2_000));
      else if (/^notifications\/(tools|prompts|resources)\/list_changed$/.test(method)) this.changed.take();
    };
  }

  /** Says hello and reads what the server offers. */
  async open(signal: AbortSignal): Promise<McpOffer> {
    try {
      await this.client.connect(this.transport, { timeout: this.timeoutMs, signal });
      return await this.offer(signal);
    } catch (error) {
      const { ending = '' } = this.transport as Partial<StdioTransport>;
      await this.close();
      throw ending === '' ? error : new Error(ending, { cause: error });
    }
  }

  async offer(signal: AbortSignal): Promise<McpOffer> {
    const capabilities = this.client.getServerCapabilities() ?? {};
    const tools = capabilities.tools ? await this.list('tools', MAX_TOOLS + 1, signal) : [];
    const prompts = capabilities.prompts ? await this.list('prompts', MAX_TOOLS, signal) : [];
    const { name = '', version = '' } = this.client.getServerVersion() ?? {};
    return {
      ...offeredTools(tools),
      prompts: offeredPrompts(prompts),
      hasResources: capabilities.resources !== undefined,
      instructions: cut(this.client.getInstructions() ?? '', MAX_INSTRUCTIONS),
      version: cut(`${name} ${version}`.trim(), 120),
    };
  }

  async call(tool: string, args: Record<string, unknown>, file: string, options: CallOptions): Promise<McpResult> {
    const { timeoutMs: timeout, signal, onProgress } = options;
    let toldAt = 0;
    const progress = ({
      message,
      progress: done,
      total,
    }: {
      message?: string;
      progress: number;
      total?: number;
    }): void => {
      if (Date.now() - toldAt < PROGRESS_EVERY_MS) return;
      toldAt = Date.now();
      onProgress?.(cut(message ?? (total === undefined ? `${done}` : `${done} of ${total}`), 300));
    };
    const answer = await this.client.request({ method: 'tools/call', params: { name: tool, arguments: args } }, ANY, {
      ...{ timeout, signal, onprogress: progress, resetTimeoutOnProgress: true, maxTotalTimeout: timeout * 20 },
    });
    return boundedResult(answer, file);
  }

  async resources(signal: AbortSignal): Promise<McpResource[]> {
    const found = await this.list('resources', MAX_RESOURCES, signal);
    return found.flatMap((one) =>
      isRecord(one) && typeof one.uri === 'string' && one.uri.length <= 2_000
        ? [
            {
              ...{ uri: one.uri, name: cut(textOf(one.title) || textOf(one.name) || one.uri, 200) },
              ...{ description: cut(textOf(one.description), 300), mimeType: cut(textOf(one.mimeType), 100) },
            },
          ]
        : [],
    );
  }

  async read(uri: string, file: string, signal: AbortSignal): Promise<McpResult> {
    const options = { timeout: this.timeoutMs, signal };
    const { contents } = await this.client.request({ method: 'resources/read', params: { uri } }, ANY, options);
    const blocks = Array.isArray(contents) ? (contents as unknown[]) : [];
    const content = blocks.map((one) => {
      const { mimeType, blob } = isRecord(one) ? one : {};
      const isImage = typeof mimeType === 'string' && mimeType.startsWith('image/') && typeof blob === 'string';
      return isImage ? { type: 'image', data: blob, mimeType } : { type: 'resource', resource: one };
    });
    return boundedResult({ content }, file);
  }

  /** The text of a prompt, as a message of the person's. */
  async prompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<string> {
    const options = { timeout: this.timeoutMs, signal };
    const params = { name, arguments: args };
    const { messages } = await this.client.request({ method: 'prompts/get', params }, ANY, options);
    const texts = (Array.isArray(messages) ? (messages as unknown[]) : []).flatMap((message) => {
      const content = isRecord(message) ? message.content : undefined;
      if (!isRecord(content)) return [];
      if (content.type === 'text') return [textOf(content.text)];
      return isRecord(content.resource) ? [textOf(content.resource.text)] : [];
    });
    return cut(texts.join('\n\n'), MAX_PROMPT_CHARS);
  }

  async close(): Promise<void> {
    this.isEnding = true;
    await this.client.close().catch(() => undefined);
    await this.transport.close().catch(() => undefined);
    this.log.close();
    this.changed.close();
  }

  private async list(what: 'tools' | 'prompts' | 'resources', most: number, signal: AbortSignal): Promise<unknown[]> {
    const found: unknown[] = [];
    let cursor: string | undefined;
    const seen = new Set<string>();
    for (let page = 0; page < MAX_PAGES && found.length < most; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const options = { timeout: this.timeoutMs, signal };
      const answer = await this.client.request({ method: `${what}/list`, params }, ANY, options);
      if (Array.isArray(answer[what])) found.push(...(answer[what] as unknown[]).slice(0, most));
      const next = answer.nextCursor;
      // A cursor that comes again is a list without an end.
      if (typeof next !== 'string' || next === '' || seen.has(next)) break;
      seen.add(next);
      cursor = next;
    }
    return found;
  }
}

function httpTransport(
  { url, headers, oauth }: Extract<McpReach, { kind: 'http' }>,
  keep: (saved: string) => void,
): StreamableHTTPClientTransport {
  // Without anything kept a 401 is the answer, and the person is asked; with it the tokens are renewed by themselves.
  const isOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const authProvider = !isOwn && hasTokens(oauth) ? new SignIn(oauth, keep, NO_CALLBACK) : undefined;
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, authProvider });
}

/** The server wants the person to sign in. */
export function wantsSignIn(error: unknown): boolean {
  return error instanceof UnauthorizedError || (error instanceof StreamableHTTPError && error.code === 401);
}

function words(data: unknown): string {
  return typeof data === 'string' ? data : cut(JSON.stringify(data) ?? '', 2_000);
}

/** Why something failed, for the person and the model. */
export function reasonOf(error: unknown): string {
  if (error instanceof McpError) {
    if (error.code === (ErrorCode.RequestTimeout as number)) return 'It did not answer in time.';
    if (error.code === (ErrorCode.ConnectionClosed as number)) return 'It ended before it answered.';
  }
  const message = error instanceof Error ? error.message : String(error);
  return cut(message.replace(/^MCP error -?\d+: /, ''), 2_000);
}
