import { makeScratch } from './scratch.mjs';

/** Vitest's global set-up: the workers start with the environment of this process. */
export default function setup() {
  const { env, remove } = makeScratch();
  Object.assign(process.env, env);
  return remove;
}
