/**
 * Parts of the window that the first screen does not show: their code is loaded once that screen is painted, so that nobody
 * waits for it (QP16). Each draws nothing until then; whatever was opened in that moment is shown as soon as the code is there.
 */
import { type ComponentType, type JSX, lazy, Suspense, useSyncExternalStore } from 'react';

type Parts = typeof import('./later-parts');

/** For a window without a session, in which no composer says that the first screen is there. */
const LATEST_MS = 2_000;

let isFirstScreenDone = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function done(): void {
  isFirstScreenDone = true;
  for (const listener of listeners) listener();
}

/** The first screen is drawn: after its frame the rest of the code is loaded. */
export function endFirstScreen(): void {
  if (!isFirstScreenDone) requestIdleCallback(done, { timeout: 100 });
}

setTimeout(endFirstScreen, LATEST_MS);

function later<Props extends object>(choose: (parts: Parts) => ComponentType<Props>): ComponentType<Props> {
  const Part = lazy(async () => ({ default: choose(await import('./later-parts')) }));
  return function Later(props: Props) {
    const isTime = useSyncExternalStore(subscribe, () => isFirstScreenDone);
    return (
      isTime && (
        <Suspense fallback={null}>
          <Part {...(props as Props & JSX.IntrinsicAttributes)} />
        </Suspense>
      )
    );
  };
}

export const ApprovalCard = later((parts) => parts.ApprovalCard);
export const BranchDialogs = later((parts) => parts.BranchDialogs);
export const CompactionQuestions = later((parts) => parts.CompactionQuestions);
export const CompactSheet = later((parts) => parts.CompactSheet);
export const DeletedDialog = later((parts) => parts.DeletedDialog);
export const EditorField = later((parts) => parts.EditorField);
export const EditorLine = later((parts) => parts.EditorLine);
export const ExtensionQuestions = later((parts) => parts.ExtensionQuestions);
export const FindBar = later((parts) => parts.FindBar);
export const HelpDialog = later((parts) => parts.HelpDialog);
export const ImportDialog = later((parts) => parts.ImportDialog);
export const OutputDialog = later((parts) => parts.OutputDialog);
export const QuestionLine = later((parts) => parts.QuestionLine);
export const ReviewDialog = later((parts) => parts.ReviewDialog);
export const SearchPanel = later((parts) => parts.SearchPanel);
export const SettingsDialog = later((parts) => parts.SettingsDialog);
export const TerminalView = later((parts) => parts.TerminalView);
export const WholeText = later((parts) => parts.WholeText);
