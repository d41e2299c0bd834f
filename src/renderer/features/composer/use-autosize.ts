import { useLayoutEffect, type RefObject } from 'react';

const MAX_SHARE = 0.4; // of the window's height: the transcript stays in sight

/** Grows a text field with its text. */
export function useAutosize(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight, window.innerHeight * MAX_SHARE)}px`;
  }, [field, text]);
}
