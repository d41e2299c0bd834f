import { CALL_OUTCOMES, type EntryFacts, intern, type ReplyFacts } from './facts';

const SIDE = 1;
const VISIBLE = 2;
const TURN_START = 4;
const ERROR = 8;
const SILENT = 32;
const SKILL = 64;
const MUTE = 128;
const SAID = 512;
/**
 * All facts of now were read from the record, behind the door (`admit`). Rows of an earlier Espalier lack it (16 meant the door alone,
 * 256 all facts but `said`), and their facts are rebuilt.
 */
const ADMITTED = 1024;
const FIELDS = 16;

/**
 * Facts as a compact JSON array for an index file:
 * `[id, parentId, type, timestampMs|null, flags, raw, images, thinking, role, customType, toolName, calls, answers, reply, paths, ended]`,
 * absent values as 0, trailing ones left out.
 */
export function encodeFacts(facts: EntryFacts): unknown[] {
  const flags =
    ADMITTED |
    (facts.side ? SIDE : 0) |
    (facts.visible ? VISIBLE : 0) |
    (facts.turnStart ? TURN_START : 0) |
    (facts.silent ? SILENT : 0) |
    (facts.skill ? SKILL : 0) |
    (facts.mute ? MUTE : 0) |
    (facts.said ? SAID : 0) |
    (facts.isError ? ERROR : 0);
  const row: unknown[] = [
    facts.id,
    facts.parentId,
    facts.type,
    Number.isNaN(facts.timestampMs) ? null : facts.timestampMs,
    flags,
    facts.raw,
    facts.images,
    facts.thinking,
    facts.role ?? 0,
    facts.customType ?? 0,
    facts.toolName ?? 0,
    facts.calls ?? 0,
    facts.answers ?? 0,
    facts.reply ? encodeReply(facts.reply) : 0,
    facts.paths ?? 0,
    facts.ended ? [facts.ended.outcome, facts.ended.note] : 0,
  ];
  while (row.at(-1) === 0) row.pop();
  return row;
}

/** True if facts were made of a record that passed the door, and not by an earlier Espalier. */
export function areAdmitted(value: unknown): boolean {
  const flags: unknown = Array.isArray(value) ? value[4] : undefined;
  return typeof flags === 'number' && (flags & ADMITTED) !== 0;
}

/** The facts that `encodeFacts` wrote, or null if the value is something else (a damaged index). */
export function decodeFacts(value: unknown): EntryFacts | null {
  if (!Array.isArray(value) || value.length < 3 || value.length > FIELDS) return null;
  const row: unknown[] = value;
  const [id, parentId, type, timestampMs = null, flags = 0] = row;
  if (typeof id !== 'string' || id === '' || typeof type !== 'string' || typeof flags !== 'number') return null;
  if (parentId !== null && typeof parentId !== 'string') return null;
  if (timestampMs !== null && typeof timestampMs !== 'number') return null;
  const reply = row[13] ? decodeReply(row[13]) : undefined;
  if (reply === null) return null;
  const role = text(row[8]);
  return {
    id,
    parentId,
    type: intern(type),
    timestampMs: timestampMs ?? Number.NaN,
    side: (flags & SIDE) !== 0,
    visible: (flags & VISIBLE) !== 0,
    turnStart: (flags & TURN_START) !== 0,
    silent: (flags & SILENT) !== 0,
    mute: (flags & MUTE) !== 0,
    skill: (flags & SKILL) !== 0,
    said: (flags & SAID) !== 0,
    role,
    customType: text(row[9]),
    toolName: text(row[10]),
    raw: number(row[5]),
    images: number(row[6]),
    thinking: number(row[7]),
    calls: Array.isArray(row[11]) ? row[11].map(String) : undefined,
    paths: Array.isArray(row[14]) ? row[14].map((path) => text(path) ?? '') : undefined,
    answers: typeof row[12] === 'string' ? row[12] : undefined,
    isError: role === 'toolResult' ? (flags & ERROR) !== 0 : undefined,
    ended: decodeEnd(row[15]),
    reply,
  };
}

function encodeReply(reply: ReplyFacts): unknown[] {
  return [
    reply.provider,
    reply.model,
    reply.stopReason,
    reply.usageTokens,
    reply.promptTokens,
    reply.input,
    reply.output,
    reply.cacheRead,
    reply.cacheWrite,
    reply.cost,
  ];
}

function decodeReply(value: unknown): ReplyFacts | null {
  if (!Array.isArray(value) || value.length !== 10) return null;
  const row: unknown[] = value;
  return {
    provider: text(row[0]) ?? '',
    model: text(row[1]) ?? '',
    stopReason: text(row[2]) ?? '',
    usageTokens: number(row[3]),
    promptTokens: number(row[4]),
    input: number(row[5]),
    output: number(row[6]),
    cacheRead: number(row[7]),
    cacheWrite: number(row[8]),
    cost: number(row[9]),
  };
}

function decodeEnd(value: unknown): EntryFacts['ended'] {
  const [said, note]: unknown[] = Array.isArray(value) ? value : [];
  const outcome = CALL_OUTCOMES.find((known) => known === said);
  return outcome && { outcome, note: typeof note === 'string' ? note : null };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? intern(value) : undefined;
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
