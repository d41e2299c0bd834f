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
