import path from 'node:path';
import { isAtOrBelow } from '../places/protected-paths';

/** Paths as they are in the workspace, sorted, each once: `./a`, `a` and the absolute path are one file. */
export function normalised(paths: readonly string[], workspaceDir: string): string[] {
  const root = path.resolve(workspaceDir);
  const files = paths.map((file) => {
    const absolute = path.resolve(root, file);
    return absolute !== root && isAtOrBelow(absolute, root) ? path.relative(root, absolute) : absolute;
  });
  return [...new Set(files)].sort();
}
