import { useLayoutEffect, useState } from 'react';
import type { ExtensionQuestion } from '@shared/extensions/ui';
import { useApp, useLive, useSession, useUi } from '../../state/hooks';

export function isTyping(): boolean {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLTextAreaElement) || focused.closest('[data-dialog]')) return false;
  return focused.value !== '' || focused.dataset.holds !== undefined;
}

export function putAside(app: ReturnType<typeof useApp>, id: string): void {
  app.ui.setState(({ questionsAside }) => ({
    questionsAside: [...questionsAside.filter((other) => other !== id), id],
  }));
}

/** It comes up again. */
export function takeUp(app: ReturnType<typeof useApp>, id: string): void {
  app.ui.setState(({ questionsAside }) => ({ questionsAside: questionsAside.filter((other) => other !== id) }));
}

/** The open questions of the session, and which of them were put aside. */
export function useAside(): { questions: readonly ExtensionQuestion[]; aside: readonly string[] } {
  const questions = useLive(useSession(), (live) => live.extensionQuestions);
  return { questions, aside: useUi((ui) => ui.questionsAside) };
}

/** Whether a question may come up now. Once for each: somebody who is typing keeps the keyboard, and the line over the composer leads to it. */
export function useIsSeen(id: string | undefined): boolean {
  const app = useApp();
  const [known, setKnown] = useState<string | null>(null);
  useLayoutEffect(() => {
    if (id === undefined) return;
    if (isTyping()) putAside(app, id);
    setKnown(id);
  }, [app, id]);
  return id !== undefined && known === id;
}
