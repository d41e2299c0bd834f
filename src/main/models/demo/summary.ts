/**
 * A real extractive summary of a serialised conversation (SU15), without a model: sentences are ranked by how
 * much they carry (rules, errors, paths, decisions, rare words), the best are quoted under the sections that a
 * compaction asks for. Deterministic: the same text gives the same summary.
 */
export function summarizeText(prompt: string): string {
  const conversation = section(prompt, 'conversation') ?? prompt;
  const previous = section(prompt, 'previous-summary');
  const turns = readTurns(conversation);
  const people = turns.filter((turn) => turn.who === 'User').flatMap((turn) => sentences(turn.text));
  const agents = turns.filter((turn) => turn.who === 'Assistant').flatMap((turn) => sentences(turn.text));
  const calls = turns.filter((turn) => turn.who === 'Assistant tool calls').map((turn) => turn.text);
  const errors = turns.filter((turn) => turn.who === 'Tool result').flatMap((turn) => linesWith(turn.text, ERROR));

  const goal = previous ? quoteSection(previous, 'Goal') : [];
  const rules = [
    ...(previous ? quoteSection(previous, 'Constraints & Preferences') : []),
    ...people.filter((text) => RULE.test(text)),
  ];
  const done = [
    ...(previous ? quoteSection(previous, 'Progress') : []),
    ...rank(agents, 6).map((text) => `[x] ${text}`),
  ];
  const asks = rank(
    people.filter((text) => !RULE.test(text)),
    4,
  );
  const next = people.at(-1);

  return [
    '## Goal',
    bullets(goal.length > 0 ? goal : asks.slice(0, 1)),
    '## Constraints & Preferences',
    bullets(unique(rules).slice(0, 20)),
    '## Progress',
    '### Done',
    bullets(unique([...done, ...describeCalls(calls)]).slice(0, 16)),
    '### In Progress',
    bullets(asks.slice(1).map((text) => `[ ] ${text}`)),
    '### Blocked',
    bullets(unique(errors).slice(0, 6)),
    '## Key Decisions',
    bullets(
      unique(agents.filter((text) => DECISION.test(text)))
        .slice(0, 6)
        .map((text) => `**Decision**: ${text}`),
    ),
    '## Next Steps',
    next ? `1. ${next}` : '(none)',
    '## Critical Context',
    bullets(unique(facts(conversation)).slice(0, 24)),
  ].join('\n');
}

interface Turn {
  who: string;
  text: string;
}

const RULE = /\b(must|never|always|do not|don't|only|required|make sure)\b/i;
const ERROR = /\b(error|exception|failed|cannot|refused|exit code [1-9])\b/i;
const DECISION = /\b(because|instead of|decided|chose|so that|rather than)\b/i;
const FACT =
  /(?:[\w.-]+\/[\w./-]+|\b[\w-]+\.(?:ts|tsx|js|json|md|py|rs|go|css|html|txt)\b|https?:\/\/\S+|`[^`\n]{3,80}`)/g;

function section(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = text.lastIndexOf(`</${tag}>`);
  return start >= 0 && end > start ? text.slice(start + tag.length + 2, end) : undefined;
}

function readTurns(text: string): Turn[] {
  const turns: Turn[] = [];
  for (const part of text.split(/\n\n(?=\[[A-Z][^\]\n]*\]: )/)) {
    // `[Assistant, cut off]`, `[Tool result 2: write, failed]`: who, then what else.
    const match = /^\s*\[([A-Z][A-Za-z ]*[A-Za-z])[^\]\n]*\]: ([\s\S]*)$/.exec(part);
    if (match?.[1] !== undefined && match[2] !== undefined) turns.push({ who: match[1], text: match[2].trim() });
  }
  return turns;
}

function sentences(text: string): string[] {
  return text
    .replace(/```[\s\S]*?```/g, ' ')
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.length >= 8)
    .map((sentence) => (sentence.length > 300 ? `${sentence.slice(0, 299)}…` : sentence));
}

/** The `count` weightiest texts, in their own order. Weight: rarity of words, then what must not be lost. */
function rank(texts: string[], count: number): string[] {
  const frequency = new Map<string, number>();
  for (const text of texts)
    for (const word of new Set(words(text))) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scored = texts.map((text, index) => {
    const own = words(text);
    const rarity = own.reduce((sum, word) => sum + 1 / (frequency.get(word) ?? 1), 0) / Math.sqrt(own.length + 1);
    return { text, index, score: rarity + (text.match(FACT)?.length ?? 0) + (DECISION.test(text) ? 1 : 0) };
  });
  const best = scored.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, count);
  return best.sort((a, b) => a.index - b.index).map(({ text }) => text);
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu) ?? [];
}

function describeCalls(calls: string[]): string[] {
  const names = calls.flatMap((call) => [
    ...call.matchAll(/\b(read|write|edit|bash|grep|find|ls)\((?:path|command)="?([^",)]{1,120})/g),
  ]);
  return unique(names.map(([, name, target]) => `[x] ${name} ${target}`)).slice(-8);
}

function facts(text: string): string[] {
  return text.match(FACT) ?? [];
}

function quoteSection(summary: string, title: string): string[] {
  const start = summary.indexOf(`## ${title}`);
  if (start < 0) return [];
  const body = summary.slice(start + title.length + 3).split(/\n## /)[0] ?? '';
  return body
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*]|\d+\.)\s*/, '').trim())
    .filter((line) => line !== '' && line !== '(none)' && !line.startsWith('#'));
}

function linesWith(text: string, pattern: RegExp): string[] {
  return text
    .split('\n')
    .filter((line) => pattern.test(line))
    .map((line) => line.trim().slice(0, 200));
}

function bullets(texts: string[]): string {
  return texts.length === 0 ? '(none)' : texts.map((text) => `- ${text}`).join('\n');
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)];
}
