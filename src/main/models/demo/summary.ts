import {
  changes,
  DECISION,
  errors,
  facts,
  OPEN,
  quoteSection,
  rank,
  readRequest,
  readTurns,
  isRule,
  sentences,
  shared,
  unique,
  unticked,
  type SummaryRequest,
  type Turn,
} from './conversation';

/**
 * A real extractive summary of a serialised conversation (SU15), without a model: sentences are ranked by how much they carry
 * (what the person asked to look at, rules, errors, paths, decisions, rare words), and the best are quoted under the headings that
 * the request asks for, in its order: of a compaction, a branch, a split turn or a handoff. Deterministic: the same text gives the
 * same summary. Nothing is invented: what it says of the work stands in the conversation.
 */
export function summarizeText(text: string): string {
  const request = readRequest(text);
  const written = sectionsOf(request);
  const headings = headingsOf(request.prompt);
  let room = MOST_LINES;
  for (;;) {
    const summary = headings.map((heading) => inWords(heading, written.get(heading.title) ?? [], room)).join('\n');
    // What is shortened first is what can be read again (SU10): long lists, from their end.
    if (room <= 2 || summary.split(/\s+/).length <= request.words) return summary;
    room -= 2;
  }
}

/** Lines under one heading. */
const MOST_LINES = 24;
/** Characters of an earlier request that are kept of it. */
const ASKED_CHARS = 140;

interface Heading {
  mark: string;
  title: string;
}

const USUAL =
  '## Goal|## Constraints & Preferences|## Progress|### Done|### In Progress|### Blocked|## Key Decisions|## Next Steps|## Critical Context|## What the Person Said';
const NUMBERED = new Set(['Next Steps', 'First steps']);
/** Never shortened: what the person asked for, and their rules. */
const WHOLE = new Set([
  'Goal',
  'Constraints & Preferences',
  'What must be kept to',
  'Original Request',
  'Task',
  'What the Person Said',
]);
/** Has no lines of its own. */
const PARTED = 'Progress';

/** The headings that the request asks for, in its order; where it asks for none, the usual ones. */
function headingsOf(prompt: string): Heading[] {
  const read = (text: string): Heading[] =>
    [...text.matchAll(/^(#{2,3}) (.+)$/gm)].map(([, mark = '##', title = '']) => ({ mark, title: title.trim() }));
  const asked = read(prompt);
  return asked.length > 0 ? asked : read(USUAL.replaceAll('|', '\n'));
}

function inWords({ mark, title }: Heading, lines: readonly string[], room: number): string {
  const head = `${mark} ${title}`;
  if (title === PARTED) return head;
  if (lines.length === 0) return `${head}\n(none)`;
  const shown = WHOLE.has(title) ? lines : lines.slice(0, room);
  return `${head}\n${shown.map((line, at) => (NUMBERED.has(title) ? `${at + 1}. ${line}` : `- ${line}`)).join('\n')}`;
}

/** What is said under each heading that may be asked for. */
function sectionsOf(request: SummaryRequest): Map<string, string[]> {
  const { conversation, previous, focus, goal } = request;
  const turns = readTurns(conversation);
  const of = (who: string): Turn[] => turns.filter((turn) => turn.who === who);
  const asked = of('User').map(({ text }) => text);
  const people = asked.flatMap(sentences);
  const agents = of('Assistant').flatMap(({ text }) => sentences(text));
  const changed = unique(of('Assistant tool calls').flatMap(({ text }) => changes(text).map(({ path }) => path)));
  const failed = unique(of('Tool result').flatMap(errors));
  const wanted = `${focus} ${goal}`.trim();
  const before = (...titles: string[]): string[] => titles.flatMap((title) => quoteSection(previous, title));
  const rules = unique([...before('Constraints & Preferences'), ...asked.flatMap(rulesIn)]);
  const done = unique([...before('Done').map(unticked), ...rank(reportsOf(turns), 12, wanted)]);
  const decisions = unique([
    ...before('Key Decisions').map((text) => text.replace(/^\*\*Decision\*\*: /, '')),
    ...rank(
      agents.filter((text) => DECISION.test(text) && !done.includes(text)),
      8,
      wanted,
    ),
  ]);
  const said = unique([...before('What the Person Said'), ...asked.map((text) => shortened(text, asked.at(-1)))]);
  const newest = asked.at(-1)?.replace(/\s+/g, ' ').replace(GREETING, '').trim().slice(0, 600);
  const pending = agents.filter((text) => OPEN.test(text)).slice(-2);
  const goals = before('Goal');
  const found = [...aboutFocus(focus, [...people, ...agents, ...failed]), ...before('Critical Context')];
  const known = unique([...found, ...pending, ...pathsIn([...asked, ...of('Assistant').map(({ text }) => text)])]);
  return new Map([
    ['Goal', goals.length > 0 ? goals : sentences(asked[0] ?? '').slice(0, 3)],
    ['Constraints & Preferences', rules],
    ['Done', [...done.map((text) => `[x] ${text}`), ...changed.map((path) => `[x] edit ${path}`)]],
    ['In Progress', newest ? [`[ ] ${newest}`] : []],
    ['Blocked', failed.slice(-4)],
    ['Key Decisions', decisions.map((text) => `**Decision**: ${text}`)],
    ['Next Steps', unique([...pending.slice(-1), ...(newest ? [newest] : [])])],
    ['Critical Context', known],
    ['What the Person Said', said],
    ['Original Request', people],
    ['Early Progress', done],
    ['Context for Suffix', known],
    ['Task', goal === '' ? [] : [goal.replace(/\s+/g, ' ')]],
    ['Where things stand', unique([...fitting(done, goal, 8), ...fitting(changed, goal, 8)])],
    ['What must be kept to', rules],
    ['What is known', unique([...fitting(decisions, goal, 6), ...failed.slice(-3), ...fitting(known, goal, 8)])],
    ['First steps', firstSteps(goal, changed, people)],
  ]);
}

/** Begins a day and says nothing of the work. */
const GREETING = /^(?:good (?:morning|evening|day)|hi|hello|hey)[,.! ]+/i;
/** A message of so many characters is one rule as a whole, if any of it is. */
const RULE_CHARS = 300;

/** The rules in a message of the person: word for word, with what stands beside them. */
function rulesIn(text: string): string[] {
  const line = text.replace(/\s+/g, ' ').trim();
  const rules = sentences(text).filter(isRule);
  return rules.length > 0 && line.length <= RULE_CHARS ? [line] : rules;
}

/** What was reported at the end of each turn that changed something; where none did, of each turn. */
function reportsOf(turns: readonly Turn[]): string[] {
  const all: string[] = [];
  const ofChanges: string[] = [];
  let hasChanged = false;
  turns.forEach((turn, at) => {
    if (turn.who === 'User') hasChanged = false;
    if (turn.who === 'Assistant tool calls') hasChanged ||= changes(turn.text).length > 0;
    if (turn.who !== 'Assistant') return;
    const next = turns.slice(at + 1).find(({ who }) => who !== 'Tool result');
    if (next && next.who !== 'User') return;
    const report = sentences(turn.text).slice(0, 1);
    all.push(...report);
    if (hasChanged) ofChanges.push(...report);
  });
  return ofChanges.length > 0 ? ofChanges : all;
}

/** The newest request and each rule word for word, the others by their beginning. */
function shortened(text: string, newest: string | undefined): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (text === newest || rulesIn(text).length > 0 || line.length <= ASKED_CHARS) return line.slice(0, 600);
  return `${line.slice(0, ASKED_CHARS).replace(/\s\S*$/, '')}…`;
}

/** What was said of what the person asked to look at, so that they see it at once. */
function aboutFocus(focus: string, texts: readonly string[]): string[] {
  const about = texts.filter((text) => shared(text, focus) > 0);
  return rank(unique(about), 6, focus);
}

const pathsIn = (texts: readonly string[]): string[] =>
  unique(
    texts
      .flatMap(facts)
      .filter((fact) => !fact.includes('|'))
      .map((fact) => fact.replace(/[.,:;]+$/, '').replace(/^`([^` ]+)`$/, '$1')),
  );

/** What has to do with a goal, first; where nothing has, what weighs most. */
function fitting(texts: readonly string[], goal: string, count: number): string[] {
  const about = texts.filter((text) => shared(text, goal) > 0);
  return about.length > 0 ? rank(about, count, goal) : texts.slice(-Math.ceil(count / 2));
}

/** Where to look first, and then what was asked for. */
function firstSteps(goal: string, changed: readonly string[], people: readonly string[]): string[] {
  if (goal === '') return [];
  const files = fitting(changed, goal, 3).map((path) => `Read ${path}`);
  const asked = rank(
    people.filter((text) => shared(text, goal) > 0),
    2,
    goal,
  );
  return [...files, ...asked, goal.replace(/\s+/g, ' ')];
}
