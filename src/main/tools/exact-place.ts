import type { ExactPlace } from '@shared/policy/approval';
import type { ResolvedPath } from '../places/workspace';

/** Where a path lies, as a question tells it and its hash covers it. */
export function exactPlace({ location, isOnUnknownMount }: ResolvedPath): ExactPlace {
  return { outside: location === 'outside', onMount: isOnUnknownMount === true ? true : undefined };
}
