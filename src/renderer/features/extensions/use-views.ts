import { useStore } from 'zustand';
import type { ExtensionEditor, ExtensionQuestion } from '@shared/extensions/ui';
import { useApp, useLive, useSession } from '../../state/hooks';
import { useAside } from './aside';

export type ViewQuestion = Extract<ExtensionQuestion, { kind: 'view' }>;

/** The editor in the place of the composer's field, unless the person put it aside. */
export function useEditor(): ExtensionEditor | null {
  const editor = useLive(useSession(), (live) => live.extensionShows.editor);
  const { aside } = useAside();
  return editor && !aside.includes(editor.viewId) ? editor : null;
}

/** The views that are shown now: the newest of each place, unless the person put it aside. */
export function useViews(): { inline: ViewQuestion | null; overlay: ViewQuestion | null } {
  const app = useApp();
  const { questions, aside } = useAside();
  const views = questions.filter(
    (question): question is ViewQuestion => question.kind === 'view' && !aside.includes(question.id),
  );
  const placed = useStore(app.terminals.frames, (frames) =>
    views.map(({ id, isOverlay }) => ((frames[id]?.isOverlay ?? isOverlay) ? 'o' : 'i')).join(''),
  );
  return {
    inline: views.findLast((_view, index) => placed[index] === 'i') ?? null,
    overlay: views.findLast((_view, index) => placed[index] === 'o') ?? null,
  };
}
