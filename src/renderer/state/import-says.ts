import type { ImportSummary } from '@shared/folder-import';
import type { AppEvent } from '@shared/ipc/contract';
import type { App } from './app-type';
import { plural } from './format';

/** Main told how far the import of a folder is. That it ended is told where nobody looks at it; its report waits. */
export function hearImport(app: App, event: AppEvent): void {
  if (event.type !== 'imports_changed') return;
  const { state } = event;
  const { imports: before, importOpen } = app.ui.getState();
  app.ui.setState({ imports: state });
  if (state.phase !== 'done' || before.phase === 'done') return;
  const words = endWords(state.summary);
  app.announce(words);
  if (importOpen) return;
  const action = { label: 'Show the report', onSelect: () => app.ui.setState({ importOpen: true }) };
  app.toast({ level: state.summary.why === '' ? 'success' : 'warning', text: words, action, durationMs: Infinity });
}

/** How an import ended, in one sentence. */
export function endWords({ counts, left, why }: ImportSummary): string {
  const made = plural(counts.imported + counts.second, 'session');
  const what = `Imported ${made}${counts.grown > 0 ? `, ${counts.grown.toLocaleString('en')} continued` : ''}.`;
  if (left === 0) return what;
  const rest = `${plural(left, 'file')} ${left === 1 ? 'was' : 'were'} not imported.`;
  return why === '' ? `The import was stopped. ${what} ${rest}` : `${what} ${rest} ${why}`;
}
