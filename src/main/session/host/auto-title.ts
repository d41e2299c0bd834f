import prompt from '../../../../prompts/session-title.md?raw';
import { defaultLimits, type StreamTransport } from '../../agent/stream/types';
import type { ModelRegistry, SessionLog } from '../../ports';
import { textOfMessage, titleFromWords, wordsOfMessage } from '../machine/entry-words';
import type { SummaryBook } from './summary-book';
import { excerptOf } from '@shared/excerpt';
import { isThisComputer } from '@shared/policy/keys';
import type { ModelRef, ProviderInfo } from '@shared/types';

/** SF25. */
const MAX_TITLE_TOKENS = 64;
const MAX_EXCERPT_CHARS = 1500;
const MAX_TITLE_CHARS = 80;
/** Of the answer, so much is looked at: what has no title there has none. */
const MAX_ANSWER_CHARS = 4 * MAX_TITLE_CHARS;
const TITLE_TIMEOUT_MS = 30_000;

/** The first question, in its lines, and the first answer of the active path; empty strings where there is none. */
async function firstExchange(log: SessionLog): Promise<{ question: string; answer: string }> {
  const ids: string[] = [];
  for (const { node } of log.tree.rows()) {
    const { role, id } = node.facts;
    if (role === 'user' && ids.length === 0) ids.push(id);
    else if (role === 'assistant' && ids.length > 0) ids.push(id);
    // A first reply may be nothing but a call; the next ones say more.
    if (ids.length >= 4) break;
  }
  const [first, ...replies] = await log.loadBodies(ids);
  return {
    question: first ? wordsOfMessage(first, ['user']) : '',
    answer: replies
      .map((reply) => textOfMessage(reply, ['assistant']))
      .join(' ')
      .trim(),
  };
}

/**
 * A title by the session's model, or from the first words where a request would cost time or make no sense (local servers,
 * the demo model). Null if there is nothing to name yet or the request failed: that is silent, the provisional title stays.
 */
async function makeTitle(
  log: SessionLog,
  ref: ModelRef,
  { models, transport, signal }: { models: ModelRegistry; transport: StreamTransport; signal: AbortSignal },
): Promise<string | null> {
  const { question, answer } = await firstExchange(log);
  if (question.trim() === '' || answer === '') return null;
  const provider = models.providers().find(({ id }) => id === ref.provider);
  if (provider?.kind === 'demo' || (provider && isLocalServer(provider))) return titleFromWords(question);
  const resolved = await models.resolve(ref);
  if (!resolved.ok) return null;
  const asked = question.replace(/\s+/g, ' ').trim();
  const excerpt = `${asked.slice(0, MAX_EXCERPT_CHARS)}\n\n${answer.slice(0, MAX_EXCERPT_CHARS)}`;
  const limits = { ...defaultLimits(MAX_TITLE_TOKENS), totalTimeoutMs: TITLE_TIMEOUT_MS };
  const content = `<excerpt>\n${excerpt.replace(/<(\/?excerpt)/gi, '&lt;$1')}\n</excerpt>`;
  const { model, apiKey, headers, proxies } = resolved;
  const context = { systemPrompt: prompt.trim(), messages: [{ role: 'user' as const, content, timestamp: 0 }] };
  const options = { maxTokens: MAX_TITLE_TOKENS, apiKey, headers, cacheRetention: 'none' as const };
  const stream = transport.stream({ model, context, options, limits, proxies }, signal);
  const { message } = await stream.result();
  if (message.stopReason !== 'stop') return null;
  return cleanTitle(message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''));
}

/** One line without Markdown, quotation marks and full stop; null if the model wrote something else than a title. */
function cleanTitle(text: string): string | null {
  const line = /^[^\n]*/.exec(text.slice(0, MAX_ANSWER_CHARS).trim())?.[0] ?? '';
  const title = excerptOf(line)
    .replace(/^[\s#*"'“”„«»`]+/, '')
    .replace(/[\s*"'“”„«»`.]+$/, '');
  return title === '' || title.length > MAX_TITLE_CHARS ? null : title;
}

/** One that was found, or an endpoint that the person set up on this computer: it has one answer at a time, and that is the person's. */
function isLocalServer({ kind, baseUrl = '' }: ProviderInfo): boolean {
  return kind === 'local' || (kind === 'custom' && isThisComputer(baseUrl));
}

/** How long a fork or a handoff waits for a title that is being written. */
const TITLE_WAIT_MS = 1500;

/** Automatic titles after the first exchange (SF25); a person's name is never overwritten. */
export class Titles {
  /** Those that are being asked for. */
  private readonly naming = new Map<string, { controller: AbortController; done: Promise<void> }>();
  private isClosing = false;

  constructor(
    private readonly book: SummaryBook,
    private readonly ports: { models: ModelRegistry; transport: StreamTransport },
  ) {}

  isNaming(sessionId: string): boolean {
    return this.naming.has(sessionId);
  }

  nameSoon({ sessionId, log, model }: { sessionId: string; log: SessionLog; model: ModelRef }): void {
    const isNamed = (): boolean => this.book.meta(sessionId)?.titleSource !== 'none';
    if (this.isClosing || this.naming.has(sessionId) || isNamed()) return;
    const controller = new AbortController();
    const { models, transport } = this.ports;
    const done = makeTitle(log, model, { models, transport, signal: controller.signal })
      .then(async (title) => {
        if (title === null || controller.signal.aborted || isNamed()) return;
        await this.book.set(sessionId, { title, titleSource: 'auto' });
      })
      // A title is no reason to bother anybody: the provisional one stays (SF25).
      .catch(() => undefined)
      .finally(() => this.naming.delete(sessionId));
    this.naming.set(sessionId, { controller, done });
  }

  /** The title that another session is to carry on: one that is just being written is waited for, though not for long. */
  async of(sessionId: string): Promise<string> {
    const { done } = this.naming.get(sessionId) ?? {};
    if (done) await Promise.race([done, new Promise((resolve) => setTimeout(resolve, TITLE_WAIT_MS).unref())]);
    return this.book.summary(sessionId).title;
  }

  cancel(sessionId: string): void {
    this.naming.get(sessionId)?.controller.abort();
  }

  /** None is asked for any more. */
  close(): void {
    this.isClosing = true;
  }
}
