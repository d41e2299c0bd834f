import { hostileMarkdown } from '../hostile-markdown';
import { hostileRecords, soundLines, soundQuestion } from '../hostile-records';

/** One thing that a window could choke on: records of a session file, the last of which has the case's id. */
export interface HostileCase {
  name: string;
  id: string;
  /** The records below an entry; each line has its parent's place marked by `PARENT`. */
  lines: readonly string[];
}

const PARENT = '"parentId":"r1"';
const TIME = '2026-01-01T00:00:00.000Z';
const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: NO_COST };
const SOURCE = { api: 'openai-completions', provider: 'loopback', model: 'm', usage: USAGE, timestamp: 2 };

/** Where a text can stand in a session. */
const CARRIERS: Readonly<Record<string, (text: string, id: string) => object[]>> = {
  reply: (text) => [reply([{ type: 'text', text }])],
  message: (text) => [{ type: 'message', message: { role: 'user', content: text, timestamp: 1 } }],
  summary: (text) => [{ type: 'branch_summary', fromId: 'a1', summary: text }],
  thinking: (text) => [
    reply([
      { type: 'thinking', thinking: text },
      { type: 'text', text: 'thought' },
    ]),
  ],
  output: (text, id) => [
    reply([{ type: 'toolCall', id, name: 'bash', arguments: { command: text } }], 'toolUse'),
    result(id, 'bash', [{ type: 'text', text }]),
  ],
  diff: (text, id) => [
    reply(
      [{ type: 'toolCall', id, name: 'edit', arguments: { path: text, oldText: text, newText: `${text}!` } }],
      'toolUse',
    ),
    result(id, 'edit', [{ type: 'text', text: 'ok' }], { diff: `@@\n+${text}\n-${text}` }),
  ],
};

function reply(content: object[], stopReason = 'stop'): object {
  return { type: 'message', message: { role: 'assistant', content, ...SOURCE, stopReason } };
}

function result(id: string, toolName: string, content: object[], details = {}): object {
  return {
    type: 'message',
    message: { role: 'toolResult', toolCallId: id, toolName, content, details, isError: false, timestamp: 3 },
  };
}

function caseOf(name: string, id: string, bodies: readonly object[]): HostileCase {
  const lines = bodies.map((body, index) => {
    const own = index === bodies.length - 1 ? id : `${id}-${index}`;
    return JSON.stringify({ ...body, id: own, timestamp: TIME, parentId: 'r1' });
  });
  return { name, id, lines };
}

/** Every wrong record, each as a case; those whose place in the tree is what is wrong stand beside the path. */
export function recordCases(longText: number): HostileCase[] {
  return [...hostileRecords({ longText })].map(({ name, id, line }) => ({ name, id, lines: [line] }));
}

/** Every text of `hostileMarkdown` in every place, and names that every object answers to. */
export function contentCases(size: number): HostileCase[] {
  const cases: HostileCase[] = [];
  const add = (name: string, bodies: (id: string) => object[]): void => {
    const id = `c${String(cases.length).padStart(6, '0')}`;
    cases.push(caseOf(name, id, bodies(id)));
  };
  for (const own of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']) {
    add(`a tool called ${own}`, (id) => [
      reply([{ type: 'toolCall', id, name: own, arguments: JSON.parse(`{"${own}":1}`) as object }], 'toolUse'),
      result(id, own, [{ type: 'image', mimeType: own, data: own }]),
    ]);
    add(`code in ${own}`, () => [reply([{ type: 'text', text: `\`\`\`${own}\na\n\`\`\`` }])]);
    add(`a model called ${own}`, () => [{ type: 'model_change', provider: own, modelId: own }]);
    add(`a label called ${own}`, () => [{ type: 'label', targetId: own, label: own }]);
    add(`an extension called ${own}`, () => [{ type: 'custom_message', customType: own, content: own, display: true }]);
  }
  const colours = '\u001b[31ma\u001b[0m'.repeat(size / 10);
  for (const { name, text } of [
    ...hostileMarkdown(size),
    { name: 'colours of a terminal', text: colours.slice(0, size) },
    { name: 'returns of a terminal', text: `${'\r'.repeat(size - 1)}a` },
    { name: 'one line without a space', text: 'x'.repeat(size) },
  ]) {
    for (const [place, bodies] of Object.entries(CARRIERS)) add(`${name}, in a ${place}`, (id) => bodies(text, id));
  }
  return cases;
}

/** The id of a record, and not of a call in it. */
const OWN_ID = /"id":"([hc]\d{6}(?:-\d+)?)","timestamp"/;
const ANY_ID = /"id":"([hc]\d{6}(?:-\d+)?)"/;

/** A session file whose active path runs through all of the cases, a sound question at its end. */
export function sessionOf(sessionId: string, cases: readonly HostileCase[]): string {
  const lines = soundLines(sessionId);
  let parent = 'r1';
  for (const { lines: own } of cases) {
    for (const line of own) {
      lines.push(line.replace(PARENT, `"parentId":"${parent}"`));
      const placed = line.includes(PARENT);
      const id = OWN_ID.exec(line.slice(-4_000))?.[1] ?? ANY_ID.exec(line.slice(-4_000))?.[1] ?? ANY_ID.exec(line)?.[1];
      if (placed && id) parent = id;
    }
  }
  lines.push(soundQuestion('end00001', parent));
  return lines.map((line) => `${line}\n`).join('');
}
