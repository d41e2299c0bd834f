import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/**
 * The keys among the variables here, for a program that takes them over a pipe (`src/main/environment`): in its own environment
 * every program of the same user could read them. Whoever waits for the app starts it like this, because the app itself would
 * start another process and end. Null without a key.
 */
export function keysHere(environment = process.env) {
  const { names, endings } = JSON.parse(readFileSync(join(root, 'src/main/environment/key-names.json'), 'utf8'));
  const isKey = (name) =>
    names.includes(name.toUpperCase()) || endings.some((ending) => name.toUpperCase().endsWith(ending));
  const keys = Object.fromEntries(Object.entries(environment).filter(([name, value]) => isKey(name) && value));
  if (Object.keys(keys).length === 0) return null;
  return {
    names: Object.keys(keys),
    text: JSON.stringify({ keys }),
    environment: (all) => ({
      ...Object.fromEntries(Object.entries(all).filter(([name]) => !isKey(name))),
      ESPALIER_KEYS_PIPE: '3',
    }),
  };
}
