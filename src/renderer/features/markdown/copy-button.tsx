import { useEffect, useRef, useState } from 'react';
import { Check, Copy, X } from 'lucide-react';
import { IconButton } from '../../ui';
import { useMarkdownEnvironment } from './environment';

const SHOWN_MS = 1_600;

export type CopyState = 'idle' | 'copied' | 'failed';

/** A function where the text is long: it is joined when it is wanted. */
type CopyText = string | (() => string | Promise<string>);

/** Copies text and says for a moment whether it worked. */
export function useCopied(text: CopyText): [CopyState, () => void] {
  const { copyText } = useMarkdownEnvironment();
  const [state, setState] = useState<CopyState>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    const copied = await copyText(typeof text === 'string' ? text : await text());
    setState(copied ? 'copied' : 'failed');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState('idle'), SHOWN_MS);
  };
  return [state, () => void copy()];
}

/** A button that copies and says whether it worked. */
export function CopyButton({ text, label = 'Copy' }: { text: CopyText; label?: string }) {
  const [state, copy] = useCopied(text);
  const names = { idle: label, copied: 'Copied', failed: 'Could not copy' };
  return (
    <IconButton label={names[state]} size="small" onClick={copy}>
      {state === 'idle' ? <Copy size={13} /> : state === 'copied' ? <Check size={13} /> : <X size={13} />}
    </IconButton>
  );
}
