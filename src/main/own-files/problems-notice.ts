import type { Notice } from '@shared/types';

/**
 * What was wrong with the app's own files, in one notice: each is told once, because who read it left a clean file. However many
 * there are, they are one message for the person. Null if all is well.
 */
export function problemsNotice(problems: readonly string[]): Notice | null {
  const [first, ...more] = problems;
  if (first === undefined) return null;
  if (more.length === 0) return { level: 'warning', code: 'own-files', text: first };
  return {
    ...{ level: 'warning', code: 'own-files', text: 'Some of Espalier’s own files could not be fully used' },
    detail: 'What could be read is in use, and nothing was deleted.',
    items: [...problems],
  };
}
