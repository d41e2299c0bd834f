/**
 * What the specification says of a session file without compactions and branches, counted from its lines in the plainest words and
 * without the code under test: an oracle for the figures of `golden-sessions.ts`.
 */
interface Block {
  type: string;
  text?: string;
  thinking?: string;
  id?: string;
  name?: string;
  arguments?: Record<string, unknown>;
}
interface Message {
  role: string;
  content: Block[];
  stopReason?: string;
  toolCallId?: string;
  toolName?: string;
  isError?: boolean;
  usage?: { input: number; output: number; cacheRead: number; cacheWrite: number };
}
/** A message, with its place among the entries. */
type Placed = Message & { at: number };

export interface GoldenFigures {
  bytes: number;
  entries: number;
  /** Of each type; messages by their role. */
  kinds: Record<string, number>;
  stopReasons: Record<string, number>;
  calls: number;
  unanswered: number;
  messages: number;
  thinkingLevel: string;
  /** Tokens of all messages, estimated. */
  raw: number;
  /** What the provider reported at the end: all tokens, and those of the prompt. */
  reported: number;
  prompt: number;
  cutPoints: number;
  /** Budget, first entry kept, start of the turn that is divided (−1: none). */
  cuts: [keep: number, firstKept: number, turnStart: number][];
  /** Of a compaction that keeps 20,000 raw tokens, and of one that keeps as many as the provider counts. */
  plan: PlanFigures;
  calibrated: PlanFigures;
  /** Tool results that a prune would hide and what that saves, or null. */
  prune: [items: number, savings: number] | null;
  /** Budget, messages that fit, their tokens: what a branch summary of all of it would read. */
  branch: [budget: number, messages: number, tokens: number][];
}

export interface PlanFigures {
  firstKept: number;
  turnStart: number;
  summarised: number;
  prefix: number;
  kept: number;
  read: number;
  modified: number;
  /** Characters of the text to summarise: whole turns, the divided one, whole turns with thinking. */
  lengths: [whole: number, prefix: number, thinking: number];
}

const WIDE: [number, number][] = [
  [0x1100, 0x11ff],
  [0x2e80, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7ff],
];

export function countFigures(lines: readonly string[]): GoldenFigures {
  const entries = lines
    .slice(1, -1)
    .map((line) => JSON.parse(line) as { type: string; thinkingLevel?: string; message?: Message });
  const messages = entries.flatMap(({ message }, at): Placed[] => (message ? [{ ...message, at }] : []));
  const answered = new Set(messages.map(({ toolCallId }) => toolCallId));
  const calls = messages.flatMap(callsOf);
  const raw = sum(messages.map(tokensOf));
  const last = messages.findLast(({ role, stopReason }) => role === 'assistant' && isWhole(stopReason));
  const { input, output, cacheRead, cacheWrite } = last?.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const prompt = input + cacheRead + cacheWrite;
  const before = sum(messages.slice(0, messages.indexOf(last as Placed) + 1).map(tokensOf));
  return {
    bytes: Buffer.byteLength(lines.join('\n')),
    entries: entries.length,
    kinds: tally(entries.map(({ type, message }) => message?.role ?? type)),
    stopReasons: tally(messages.flatMap(({ stopReason }) => stopReason ?? [])),
    calls: calls.length,
    unanswered: calls.filter(({ id }) => !answered.has(id)).length,
    messages: messages.length,
    thinkingLevel: entries.findLast(({ type }) => type === 'thinking_level_change')?.thinkingLevel ?? 'off',
    raw,
    reported: prompt + output,
    prompt,
    cutPoints: messages.filter((_, index) => isCut(messages, index)).length,
    cuts: [1, 1000, 5000, 20_000, 50_000, 100_000].map((keep) => {
      const [firstKept, turnStart] = cutAt(messages, keep);
      return [keep, messages[firstKept]?.at ?? -1, messages[turnStart]?.at ?? -1];
    }),
    plan: planOf(messages, 20_000),
    calibrated: planOf(messages, Math.floor(20_000 / Math.min(4, Math.max(1, prompt / before)))),
    prune: pruneOf(messages),
    branch: [183_616, 20_000].map((budget) => [budget, ...branchOf(messages, budget)]),
  };
}

const isWhole = (reason: string | undefined): boolean => reason !== 'aborted' && reason !== 'error';
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const callsOf = ({ content }: Message): Block[] => content.filter(({ type }) => type === 'toolCall');
const textsOf = ({ content }: Message): string[] =>
  content.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : []));

function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** A quarter token a character, a whole one a wide character; each message rounded up. */
function tokensOf({ content }: Message): number {
  let quarters = 0;
  for (const { text = '', thinking = '', name = '', arguments: args } of content)
    for (const character of `${text}${thinking}${name}${args ? JSON.stringify(args) : ''}`) {
      const code = character.codePointAt(0) ?? 0;
      quarters += WIDE.some(([from, to]) => code >= from && code <= to) ? 4 : character.length;
    }
  return Math.ceil(quarters / 4);
}

/** No result stands here, and none that comes later answers a call that came before. */
function isCut(messages: readonly Placed[], index: number): boolean {
  if (messages[index]?.role === 'toolResult') return false;
  // Results follow their reply at once: only the calls right before could be divided from them.
  const earlier = new Set(
    messages
      .slice(Math.max(0, index - 20), index)
      .flatMap(callsOf)
      .map(({ id }) => id),
  );
  return !messages
    .slice(index, index + 20)
    .some(({ toolCallId }) => toolCallId !== undefined && earlier.has(toolCallId));
}

/** Indices of the first message kept and of the question whose turn is divided. */
function cutAt(messages: readonly Placed[], keep: number): [number, number] {
  let at = messages.length - 1;
  for (let left = keep; at > 0; at--) {
    left -= tokensOf(messages[at] as Placed);
    if (left <= 0) break;
  }
  let firstKept = at;
  while (firstKept < messages.length && !isCut(messages, firstKept)) firstKept++;
  if (firstKept === messages.length) firstKept = messages.findLastIndex((_, index) => isCut(messages, index));
  if (messages[firstKept]?.role === 'user') return [firstKept, -1];
  return [firstKept, messages.slice(0, firstKept).findLastIndex(({ role }) => role === 'user')];
}

function planOf(messages: readonly Placed[], keep: number): PlanFigures {
  const [firstKept, turnStart] = cutAt(messages, keep);
  const divided = turnStart < 0 ? firstKept : turnStart;
  const [whole, prefix] = [messages.slice(0, divided), messages.slice(divided, firstKept)];
  const resultOf = (id: string | undefined): Message | undefined =>
    messages.find(({ toolCallId }) => toolCallId === id);
  const touched = (names: string[]): Set<unknown> =>
    new Set(
      messages
        .slice(0, firstKept)
        .flatMap(callsOf)
        .filter(({ name = '', id }) => names.includes(name) && resultOf(id)?.isError === false)
        .map((call) => call.arguments?.path),
    );
  const modified = touched(['write', 'edit']);
  const length = (part: readonly Message[], thinking: boolean): number =>
    part.flatMap((message) => spoken(message, thinking, messages)).join('\n\n').length;
  return {
    firstKept: messages[firstKept]?.at ?? -1,
    turnStart: messages[turnStart]?.at ?? -1,
    summarised: whole.length,
    prefix: prefix.length,
    kept: messages.length - firstKept,
    read: [...touched(['read'])].filter((path) => !modified.has(path)).length,
    modified: modified.size,
    lengths: [length(whole, false), length(prefix, false), length(whole, true)],
  };
}

/** What a summariser reads of a message. */
function spoken(message: Message, withThinking: boolean, all: readonly Message[]): string[] {
  const said = textsOf(message);
  if (message.role === 'user') return said.join('') === '' ? [] : [`[User]: ${quoted(said.join(''))}`];
  if (message.role === 'toolResult') {
    const text = said.join('\n');
    const caller = all.find((other) => callsOf(other).some(({ id }) => id === message.toolCallId));
    const calls = caller ? callsOf(caller) : [];
    const place = calls.length > 1 ? ` ${calls.findIndex(({ id }) => id === message.toolCallId) + 1}` : '';
    const failed = message.isError ? failure(text) : '';
    const [most, head, tail] = message.toolName === 'read' ? [800, 480, -320] : [2000, 1200, -800];
    const more = `\n\n[... ${text.length - most} more characters truncated ...]\n\n`;
    const told = text.length > most ? quoted(text.slice(0, head)) + more + quoted(text.slice(tail)) : quoted(text);
    return text === '' ? [] : [`[Tool result${place}: ${message.toolName}${failed}]: ${told}`];
  }
  const isCutOff = ['aborted', 'error', 'length'].includes(message.stopReason ?? '');
  const thoughts = message.content.flatMap(({ thinking }) => thinking ?? []);
  const calls = callsOf(message).map(({ id, name, arguments: args = {} }, at, { length }) => {
    const result = all.find(({ toolCallId }) => toolCallId === id);
    const isDone = result !== undefined && (result.isError !== true || failure(textsOf(result).join('\n')) === '');
    const list = Object.entries(args).map(([key, value]) => `${key}=${JSON.stringify(shorter(value, key, isDone))}`);
    const note = result ? '' : isCutOff ? ' [not run: reply cut off]' : ' [not run, or interrupted]';
    return `${length > 1 ? `${at + 1}. ` : ''}${name}(${list.join(', ')})${note}`;
  });
  return [
    ...(withThinking && thoughts.length > 0 ? [`[Assistant thinking]: ${quoted(thoughts.join('\n'))}`] : []),
    ...(said.join('\n') === '' ? [] : [`[Assistant${isCutOff ? ', cut off' : ''}]: ${quoted(said.join('\n'))}`]),
    ...(calls.length === 0 ? [] : [`[Assistant tool calls]: ${calls.join('; ')}`]),
  ];
}

/** Nothing of these sessions begins a line as a mark does but in plain ASCII. */
const quoted = (text: string): string =>
  text.replace(/^([ \t]*)\[(?=user|assistant|tool|summary|note|not run|image|\.\.\.)/gim, '$1\\[');

/** A string of the first level: those of these sessions are no deeper. */
function shorter(value: unknown, key: string, isDone: boolean): unknown {
  const isLess = !isDone || key === 'oldText';
  if (typeof value !== 'string' || value.length <= (isLess ? 400 : 1000)) return value;
  const [head, tail] = isLess ? [200, 100] : [600, 300];
  return `${value.slice(0, head)}[... ${value.length - head - tail} characters ...]${value.slice(-tail)}`;
}

/** What is said of a result that failed: a command that ran to its end did not. */
function failure(text: string): string {
  if (/Command (timed out after .+ seconds|exited with code \d+)$/.test(text)) return '';
  return /Command aborted$/.test(text) ? ', stopped' : ', failed';
}

/** Old results above 50 tokens, newer ones of 40,000 tokens untouched, failed ones and files that were read neither. */
function pruneOf(messages: readonly Placed[]): [number, number] | null {
  let seen = 0;
  const gone = messages
    .filter(({ role }) => role === 'toolResult')
    .reverse()
    .filter((message) => {
      const isOld = seen >= 40_000;
      seen += tokensOf(message);
      return isOld && tokensOf(message) >= 50 && message.isError !== true && message.toolName !== 'read';
    });
  const notice = (tokens: number): number => Math.ceil(`[Output truncated - ${tokens} tokens]`.length / 4);
  const savings = sum(gone.map((message) => tokensOf(message) - notice(tokensOf(message))));
  return savings < 20_000 ? null : [gone.length, savings];
}

/** Newest first, without results and without failed replies that say nothing; none longer than a quarter of the budget. */
function branchOf(messages: readonly Placed[], budget: number): [number, number] {
  const told = messages.filter(
    (message) =>
      message.role !== 'toolResult' &&
      (isWhole(message.stopReason) || callsOf(message).length > 0 || textsOf(message).join('').trim() !== ''),
  );
  let [left, count] = [budget, 0];
  for (const message of told.reverse()) {
    const tokens = Math.min(tokensOf(message), Math.floor(budget / 4));
    if (tokens > left) break;
    left -= tokens;
    count++;
  }
  return [count, budget - left];
}
