import type { ClipboardEvent, FormEvent, KeyboardEvent } from 'react';
import { isMac } from '../../state/keys';
import { useSettings } from '../../state/hooks';
import { pastedText, releasedKey, terminalKey } from './terminal-keys';

/** What is typed into a field, as a terminal sends it. `isWindows`: a key that is the window's own all the same. */
export function useTerminalKeys(
  send: (input: string) => void,
  hearsRelease: boolean,
  isWindows: (event: KeyboardEvent) => boolean = () => false,
) {
  const mac = useSettings((state) => isMac(state.platform));
  const flush = (element: HTMLTextAreaElement): void => {
    const { value } = element;
    element.value = '';
    if (value !== '') send(value);
  };
  return {
    onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
      if (event.nativeEvent.isComposing || event.key === 'Dead' || event.key === 'Process') return;
      const isCopy = event.key === 'c' && event.ctrlKey && window.getSelection()?.isCollapsed === false;
      // Pasted text comes as such.
      const isPaste = event.key.toLowerCase() === 'v' && event.ctrlKey && !event.altKey;
      if (isCopy || isPaste) return event.stopPropagation();
      if (isWindows(event)) return;
      const input = terminalKey(withoutAltGraph(event), mac);
      if (input === null) return;
      event.preventDefault();
      event.stopPropagation();
      send(input);
    },
    onKeyUp(event: KeyboardEvent<HTMLTextAreaElement>) {
      const released = hearsRelease ? releasedKey(event) : null;
      if (released !== null) send(released);
    },
    onInput(event: FormEvent<HTMLTextAreaElement>) {
      if (!(event.nativeEvent as InputEvent).isComposing) flush(event.currentTarget);
    },
    onCompositionEnd(event: FormEvent<HTMLTextAreaElement>) {
      flush(event.currentTarget);
    },
    onPaste(event: ClipboardEvent<HTMLTextAreaElement>) {
      event.preventDefault();
      const text = event.clipboardData.getData('text/plain');
      if (text !== '') send(pastedText(text));
    },
  };
}

/** Characters that are written with AltGr are no commands. */
function withoutAltGraph(event: KeyboardEvent) {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = event;
  const writes = event.getModifierState('AltGraph') && key.length === 1;
  return { key, shiftKey, metaKey, ctrlKey: ctrlKey && !writes, altKey: altKey && !writes };
}
