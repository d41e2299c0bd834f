/** Folders that hold what a project takes in or makes, not what its people write: nothing in them speaks for it (EX18, EX21). */
export const PASSED_FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'out',
  'build',
  'target',
  'vendor',
  '__pycache__',
]);
