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
  const length = (part: readonly Message[], thinking: boolean): number => {
    const given = new Map<string, string>();
    return part.flatMap((message) => spoken(message, thinking, messages, given)).join('\n\n').length;
  };
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

/** What a summariser reads of a message. @param given what each reading call gave last */
function spoken(
  message: Message,
  withThinking: boolean,
  all: readonly Message[],
  given: Map<string, string>,
): string[] {
  const said = textsOf(message);
  if (message.role === 'user') return said.join('') === '' ? [] : [`[User]: ${quoted(said.join(''))}`];
  if (message.role === 'toolResult') {
    const text = said.join('\n').replace(/\s+$/, '');
    const caller = all.find((other) => callsOf(other).some(({ id }) => id === message.toolCallId));
    const calls = caller ? callsOf(caller) : [];
    const at = calls.findIndex(({ id }) => id === message.toolCallId);
    const place = calls.length > 1 ? ` ${at + 1}` : '';
    const failed = message.isError ? failure(text) : '';
    if (message.toolName === 'edit' && failed === '' && !/\n[^]/.test(text)) return [];
    const shown = message.toolName === 'bash' || message.toolName === 'grep' ? once(text) : text;
    const [most, head, tail] = message.toolName === 'read' ? [800, 480, -320] : [2000, 1200, -800];
    const more = `\n\n[... ${shown.length - most} more characters truncated ...]\n\n`;
    let told =
      shown.length > most + 60 ? quoted(shown.slice(0, head)) + more + quoted(shown.slice(tail)) : quoted(shown);
    if (['read', 'grep'].includes(message.toolName ?? '') && told.length >= 100) {
      const asked = `${message.toolName} ${JSON.stringify(calls[at]?.arguments)}`;
      const whole = `${text.length} ${told}`;
      if (given.get(asked) === whole)
        told = `[... the same ${text.length} characters as when it was called before ...]`;
      given.set(asked, whole);
    }
    return text === '' ? [] : [`[Tool result${place}: ${message.toolName}${failed}]: ${told}`];
  }
  const isCutOff = ['aborted', 'error', 'length'].includes(message.stopReason ?? '');
  const thoughts = message.content.flatMap(({ thinking }) => thinking ?? []);
  const calls = callsOf(message).map(({ id, name, arguments: args = {} }, at, { length }) => {
    const result = all.find(({ toolCallId }) => toolCallId === id);
    const isDone = result !== undefined && (result.isError !== true || failure(textsOf(result).join('\n')) === '');
    const edits = name === 'edit' ? editsOf(args) : [];
    const changes = edits.flatMap(({ oldText, newText }) => changed(oldText.split('\n'), newText.split('\n')));
    const list = Object.entries(args)
      .filter(([key]) => changes.length === 0 || !['edits', 'oldText', 'newText'].includes(key))
      .map(([key, value]) => `${key}=${JSON.stringify(shorter(value, key, isDone))}`);
    const note = result ? '' : isCutOff ? ' [not run: reply cut off]' : ' [not run, or interrupted]';
    const told = changes.map((block) => blockOf(block)).join('\n@@\n');
    const whole = changes.map((block) => block.map(plainLine).join('\n')).join('\n@@\n');
    const lines = changes.length > 0 ? `\n${told.length > (isDone ? 1000 : 400) ? fewer(whole, isDone) : told}` : '';
    return `${length > 1 ? `${at + 1}. ` : ''}${name}(${list.join(', ')})${note}${lines}`;
  });
  return [
    ...(withThinking && thoughts.length > 0 ? [`[Assistant thinking]: ${quoted(thoughts.join('\n'))}`] : []),
    ...(said.join('\n') === '' ? [] : [`[Assistant${isCutOff ? ', cut off' : ''}]: ${quoted(said.join('\n'))}`]),
    ...(calls.length === 0
      ? []
      : [
          `[Assistant tool calls]: ${calls.map((one, at) => one + (at + 1 === calls.length ? '' : one.includes('\n') ? '\n' : '; ')).join('')}`,
        ]),
  ];
}

interface Edit {
  oldText: string;
  newText: string;
}

function editsOf({ edits, oldText, newText }: Record<string, unknown>): Edit[] {
  return (edits ??
    (typeof oldText === 'string' && typeof newText === 'string' ? [{ oldText, newText }] : [])) as Edit[];
}

/** Blocks of lines that went and came: as many lines stay as can, the first that may. */
function changed(old: readonly string[], now: readonly string[]): string[][] {
  const table = old.map(() => [] as number[]);
  const stay = (a: number, b: number): number => {
    const row = table[a];
    if (!row || b >= now.length) return 0;
    return (row[b] ??= old[a] === now[b] ? 1 + stay(a + 1, b + 1) : Math.max(stay(a + 1, b), stay(a, b + 1)));
  };
  const signs: string[] = [];
  for (let [a, b] = [0, 0]; a < old.length || b < now.length;) {
    const [gone, come] = [old[a], now[b]];
    if (gone !== undefined && gone === come) {
      signs.push('=');
      [a, b] = [a + 1, b + 1];
    } else if (gone !== undefined && (come === undefined || stay(a + 1, b) >= stay(a, b + 1)))
      signs.push(`-${old[a++]}`);
    else signs.push(`+${now[b++]}`);
  }
  const blocks: string[][] = [[]];
  for (const sign of signs) {
    if (sign === '=') blocks.push([]);
    else blocks.at(-1)?.push(sign);
  }
  return blocks.filter((block) => block.length > 0);
}

const plainLine = (line: string): string =>
  line.slice(0, 1) + quoted(line.slice(1)).replace(/(?<!\\)\[(?=\.\.\.)/g, '\\[');

/** Of one line in the place of one, what both begin or end with is told once. */
function blockOf(block: readonly string[]): string {
  const [gone = '', come = ''] = block;
  if (block.length !== 2 || gone[0] !== '-' || come[0] !== '+') return block.map(plainLine).join('\n');
  const [a, b] = [gone.slice(1), come.slice(1)];
  let [start, end] = [0, 0];
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a.at(-end - 1) === b.at(-end - 1)) end++;
  const middle = b.slice(start < 40 ? 0 : start, end < 40 ? undefined : b.length - end);
  return `${plainLine(gone)}\n+${start < 40 ? '' : '[... same beginning ...]'}${plainLine(`+${middle}`).slice(1)}${end < 40 ? '' : '[... same end ...]'}`;
}

/** Long changes keep whole lines of both ends of what came, and of what went fewer. */
function fewer(text: string, isDone: boolean): string {
  const lines = text.split('\n');
  const shown: (string | undefined)[] = lines.map(() => undefined);
  for (const [sign, head, tail] of isDone
    ? ([
        ['-', 150, 50],
        ['+', 450, 250],
      ] as const)
    : ([
        ['-', 50, 50],
        ['+', 150, 50],
      ] as const)) {
    const places = [...lines.keys()].filter((at) => lines[at]?.[0] === sign);
    const fits = (order: readonly number[], room: number): number[] => {
      const sizes = order.map((at) => (lines[at]?.length ?? 0) + 1);
      return order.filter((_, n) => sum(sizes.slice(0, n + 1)) <= room);
    };
    const first = fits(places, head);
    const whole = [...first, ...fits([...places].reverse(), tail)];
    for (const at of whole) shown[at] = lines[at];
    const [start = -1] = places;
    if (first.length === 0 && !whole.includes(start) && start >= 0) shown[start] = lines[start]?.slice(0, head);
  }
  const missing = sum(lines.map((line, at) => (line === '@@' ? 0 : line.length - (shown[at]?.length ?? 0))));
  const note = `[... ${missing} characters of changed lines, here and below ...]`;
  const cutAt = lines.findIndex((line, at) => line !== '@@' && shown[at] !== line);
  const told: string[] = [];
  let isApart = false;
  for (const [at, line] of lines.entries()) {
    if (line === '@@') isApart = told.length > 0;
    const text = shown[at];
    if (text !== undefined && isApart) told.push('@@');
    if (text !== undefined) [isApart] = [false, told.push(text)];
    if (at === cutAt) told.push(note);
  }
  return told.join('\n');
}

/** One path for the lines of a file that a search printed behind each other. */
function once(text: string): string {
  const lines = text.split('\n');
  const found = (line: string): string | undefined => /^([^\s:]+):\d+:/.exec(line)?.[1];
  const files = new Set(lines.map(found));
  const fileOf = (line: string): string | undefined => {
    const around = [...line.matchAll(/-\d+-/g)]
      .map(({ index }) => line.slice(0, index))
      .find((path) => files.has(path));
    const before = /^([^\s:(]{3,200})(:|\(\d)/.exec(line)?.[1] ?? '';
    return found(line) ?? around ?? (/[^/]\/[^/]|\w\.\w{1,8}$/.test(before) ? before : undefined);
  };
  const told: string[] = [];
  let last: string | undefined;
  lines.forEach((line, at) => {
    const file = fileOf(line);
    const isBlock = file !== undefined && (file === last || fileOf(lines[at + 1] ?? '') === file);
    if (isBlock && file !== last) told.push(`${file}:`);
    const rest = line.slice(file?.length ?? 0).replace(/^[:-](?=\d)/, '');
    if (!isBlock) told.push(line);
    else if (!/^\d+[:-]\s*$/.test(rest)) told.push(` ${rest}`);
    last = isBlock ? file : undefined;
  });
  return told.join('\n');
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
