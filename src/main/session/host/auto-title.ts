import prompt from '../../../../prompts/session-title.md?raw';
import { defaultLimits, type StreamTransport } from '../../agent/stream/types';
import type { ModelRegistry, SessionLog } from '../../ports';
import { textOfMessage, titleFromWords, wordsOfMessage } from '../machine/entry-words';
import type { SummaryBook } from './summary-book';
import { excerptOf } from '@shared/excerpt';
import { isThisComputer } from '@shared/policy/keys';
import { isVersion } from '@shared/session/records/facts';
import type { TreeNode } from '@shared/session/records/tree-node';
import { titleDraft } from '@shared/session/tree/drafts';
import type { SessionTree } from '@shared/session/tree/tree';
import type { ModelRef, ProviderInfo } from '@shared/types';

/** SF25. */
const MAX_TITLE_TOKENS = 64;
const MAX_EXCERPT_CHARS = 1500;
const MAX_TITLE_CHARS = 80;
/** Of the answer, so much is looked at: what has no title there has none. */
const MAX_ANSWER_CHARS = 4 * MAX_TITLE_CHARS;
const TITLE_TIMEOUT_MS = 30_000;

/** What a title is made from: the first question, in its lines, and the first answer; empty strings where there is none. */
interface Exchange {
  question: string;
  answer: string;
}

/** A first reply may be nothing but a call; the next ones say more. */
const MAX_REPLIES = 3;

/** The first exchange of a path, whose entries are given in order. */
async function firstExchange(log: SessionLog, path: Iterable<TreeNode>): Promise<Exchange> {
  const ids: string[] = [];
  for (const { facts } of path) {
    const { role, id } = facts;
    if (role === 'user' && ids.length === 0) ids.push(id);
    else if (role === 'assistant' && ids.length > 0) ids.push(id);
    if (ids.length > MAX_REPLIES) break;
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

/** A title, and what the request for it came to. */
interface Titled {
  /** Null: the model wrote something else. */
  title: string | null;
  /** Null: nobody was asked. */
  paid: { model: string; cost: number } | null;
}

interface TitlePorts {
  models: ModelRegistry;
  transport: StreamTransport;
  signal: AbortSignal;
}

/** Where a request for a title would cost time or make no sense: local servers, the demo model. */
function isNotAsked({ models }: Pick<TitlePorts, 'models'>, ref: ModelRef): boolean {
  const provider = models.providers().find(({ id }) => id === ref.provider);
  return provider?.kind === 'demo' || (provider !== undefined && isLocalServer(provider));
}

/** A title by the session's model. Null if there is nothing to name yet or the request failed: that is silent. */
async function askForTitle(
  { question, answer }: Exchange,
  ref: ModelRef,
  { models, transport, signal }: TitlePorts,
): Promise<Titled | null> {
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
  const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const { stopReason, usage } = message;
  const cost = usage.cost.total;
  // Nobody answered: it is asked for again after the next turn.
  if ((stopReason === 'error' || stopReason === 'aborted') && cost === 0) return null;
  const title = stopReason === 'stop' ? cleanTitle(text) : null;
  return { title, paid: { model: `${ref.provider}/${ref.modelId}`, cost } };
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

/** Entries above the leaf among which a branch without a title is looked for, and those that are looked at below its first one. */
const MAX_ABOVE = 2000;
const MAX_BELOW = 400;
/** Versions beside one message that are looked at, the newest first: there may be thousands. */
const MAX_BESIDE = 12;

/**
 * The first message of a branch that was left behind with more than one turn and has neither label nor title: the nearest one beside the
 * path. Null: there is none. Bounded, whatever tree it is.
 */
function branchToName(tree: SessionTree): TreeNode | null {
  let node = tree.leafId === null ? null : (tree.node(tree.leafId) ?? null);
  for (let left = MAX_ABOVE; node && left > 0; left--, node = node.parent) {
    if (node.facts.role !== 'user' || isAlone(node)) continue;
    const beside = tree.siblings(node.id).ids.slice(-MAX_BESIDE).reverse();
    for (const id of beside) {
      const other = id === node.id ? undefined : tree.node(id);
      if (other && isWithoutName(tree, other) && isGoneOnWith(other)) return other;
    }
  }
  return null;
}

/** What follows nothing but a message, and nothing else follows that, is no version of anything. */
function isAlone({ parent }: TreeNode): boolean {
  return parent?.children.length === 1 && isVersion(parent.facts);
}

function isWithoutName(tree: SessionTree, { id, facts }: TreeNode): boolean {
  return facts.role === 'user' && tree.label(id) === undefined && !tree.titles.has(id);
}

/** Whether the person said more below a message. */
function isGoneOnWith(first: TreeNode): boolean {
  const ready = [...first.children];
  for (let left = MAX_BELOW; left > 0; left--) {
    const node = ready.pop();
    if (!node) return false;
    if (node.facts.role === 'user') return true;
    for (const child of node.children.slice(-MAX_BESIDE)) ready.push(child);
  }
  return false;
}

/** A message and what follows it first. */
function* downFrom(first: TreeNode): Generator<TreeNode> {
  let node: TreeNode | undefined = first;
  for (let left = MAX_BELOW; node && left > 0; left--) {
    yield node;
    node = node.children.find(({ facts }) => !facts.side);
  }
}

/** A title for a branch, stored whatever it came to: a model that writes none is not asked after each turn. */
async function nameBranch(log: SessionLog, first: TreeNode, model: ModelRef, ports: TitlePorts): Promise<void> {
  const exchange = await firstExchange(log, downFrom(first));
  if (exchange.question.trim() === '' || exchange.answer === '') return;
  const titled = await askForTitle(exchange, model, ports);
  if (!titled?.paid) return;
  const { id } = first;
  // Gone from the tree meanwhile, or named: what was paid counts all the same.
  const title = isWithoutName(log.tree, first) ? (titled.title ?? '') : '';
  await log.append([titleDraft({ targetId: id, title, ...titled.paid })]);
}

/** How long a fork or a handoff waits for a title that is being written. */
const TITLE_WAIT_MS = 1500;

/** Automatic titles of sessions and of branches (SF25, GR16); a person's name is never overwritten. */
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

  /** A turn has ended: the session gets its title, or a branch that was left behind gets one (GR16). */
  nameSoon({ sessionId, log, model }: { sessionId: string; log: SessionLog; model: ModelRef }): void {
    if (this.isClosing || this.naming.has(sessionId)) return;
    const isUnnamed = this.isUnnamed(sessionId);
    const branch = isUnnamed || isNotAsked(this.ports, model) ? null : branchToName(log.tree);
    if (!isUnnamed && !branch) return;
    const controller = new AbortController();
    const ports = { ...this.ports, signal: controller.signal };
    const naming = branch ? nameBranch(log, branch, model, ports) : this.nameSession(sessionId, { log, model, ports });
    // A title is no reason to bother anybody: the provisional one stays (SF25).
    const done = naming.catch(() => undefined).finally(() => this.naming.delete(sessionId));
    this.naming.set(sessionId, { controller, done });
  }

  private isUnnamed(sessionId: string): boolean {
    return this.book.meta(sessionId)?.titleSource === 'none';
  }

  private async nameSession(
    sessionId: string,
    { log, model, ports }: { log: SessionLog; model: ModelRef; ports: TitlePorts },
  ): Promise<void> {
    const path = log.tree.rows().map(({ node }) => node);
    const exchange = await firstExchange(log, path);
    if (exchange.question.trim() === '' || exchange.answer === '') return;
    const titled = isNotAsked(ports, model)
      ? { title: titleFromWords(exchange.question), paid: null }
      : await askForTitle(exchange, model, ports);
    const title = titled?.title ?? null;
    if (titled?.paid) await log.append([titleDraft({ title: title ?? '', ...titled.paid })]).catch(() => undefined);
    if (title === null || ports.signal.aborted || !this.isUnnamed(sessionId)) return;
    await this.book.set(sessionId, { title, titleSource: 'auto' });
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
