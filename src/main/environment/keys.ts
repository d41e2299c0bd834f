import { spawn } from 'node:child_process';
import { closeSync, fstatSync, readSync } from 'node:fs';
import rule from './key-names.json';

/** What the environment held of keys. Kept here alone: `process.env` of main is what the app's other processes inherit. */
const keys = new Map<string, string>();
const NAMES = new Set(rule.names);

/** True for a variable that holds a key: those that providers are known by, and whatever is called like one. */
export function isKeyName(name: string): boolean {
  const upper = name.toUpperCase();
  return NAMES.has(upper) || rule.endings.some((ending) => upper.endsWith(ending));
}

/** The keys among the variables of an environment, empty ones left out. */
export function keysIn(environment: NodeJS.ProcessEnv): Record<string, string> {
  const found = Object.entries(environment).filter(
    (entry): entry is [string, string] => isKeyName(entry[0]) && !!entry[1],
  );
  return Object.fromEntries(found);
}

/** The same environment without them, and without what is left over of empty ones. */
export function withoutKeys(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isKeyName(name)));
}

/** Keeps keys for this run and takes them out of what other processes will inherit. */
export function keepKeys(found: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(found)) keys.set(name, value);
  for (const name of Object.keys(process.env)) if (isKeyName(name)) delete process.env[name];
}

/** The values, for redaction. */
export function environmentSecrets(): readonly string[] {
  return [...keys.values()];
}

/** An environment for a thread that talks to providers: a copy, which the system shows nowhere. */
export function environmentWithKeys(): NodeJS.ProcessEnv {
  return { ...process.env, ...Object.fromEntries(keys) };
}

/**
 * Lets something look for keys in the environment as if they were still there. What it reads is a copy for the length of
 * this call: nothing can be started from it.
 */
export function lookingAtKeys<T>(look: () => T): T {
  if (keys.size === 0) return look();
  const real = process.env;
  process.env = environmentWithKeys();
  try {
    return look();
  } finally {
    process.env = real;
  }
}

/** Says that keys come over the pipe with this number, from the process that started this one. */
const KEYS_PIPE = 'ESPALIER_KEYS_PIPE';
const PIPE = 3;
const MAX_BYTES = 1024 * 1024;

/**
 * Linux shows the environment that a process was started with to every program of the same user, for as long as the process lives
 * and whatever it deletes. So if it holds a key, this process starts the app again without, hands the keys over an inherited
 * pipe and has to end (docs/specs/safety.md D1). Without a key nothing is started and next to nothing is done.
 * @returns true: this process ends now, call `end` with its exit code when that is possible
 */
export function shedKeys(isPackaged: boolean, end: (code: number) => void): boolean {
  const handed = readHanded();
  const found = keysIn(process.env);
  const isShown = Object.keys(found).length > 0;
  // Keys that are there again although they were taken out: whatever starts the app puts them in, and would for ever.
  if (isShown && handed === null && canRestart(isPackaged)) {
    startAgain(found, end);
    return true;
  }
  keepKeys({ ...found, ...handed });
  return false;
}

/** Elsewhere the system shows no environment, or starts the app in ways of its own. A dev server ends with the first process. */
function canRestart(isPackaged: boolean): boolean {
  return process.platform === 'linux' && (isPackaged || process.env.ELECTRON_RENDERER_URL === undefined);
}

function startAgain(keys: Record<string, string>, end: (code: number) => void): void {
  // An AppImage is mounted for as long as its first process lives: it is started by its file.
  const program = process.env.APPIMAGE ?? process.execPath;
  const child = spawn(program, process.argv.slice(1), {
    env: { ...withoutKeys(process.env), [KEYS_PIPE]: String(PIPE) },
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  });
  child.on('error', () => {
    process.stderr.write('Espalier could not start itself without the keys of the environment.\n');
    end(1);
  });
  const pipe = child.stdio[PIPE] as NodeJS.WritableStream | null;
  // A child that dies early closes it; its own words say why.
  pipe?.on('error', () => end(1));
  pipe?.end(JSON.stringify({ keys }), () => {
    child.unref();
    end(0);
  });
}

/** What the first process handed over; null if there was none, whatever the variable says. */
function readHanded(): Record<string, string> | null {
  const number = process.env[KEYS_PIPE];
  delete process.env[KEYS_PIPE];
  if (number !== String(PIPE)) return null;
  try {
    const stat = fstatSync(PIPE);
    if (!stat.isFIFO() && !stat.isSocket()) return null;
    const text = readToEnd();
    closeSync(PIPE);
    const { keys } = JSON.parse(text) as { keys: Record<string, unknown> };
    return Object.fromEntries(
      Object.entries(keys).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return null;
  }
}

function readToEnd(): string {
  const chunks: Buffer[] = [];
  for (let length = 0; length < MAX_BYTES;) {
    const chunk = Buffer.alloc(64 * 1024);
    const read = readSync(PIPE, chunk, 0, chunk.length, null);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    length += read;
  }
  return Buffer.concat(chunks).toString('utf8');
}
