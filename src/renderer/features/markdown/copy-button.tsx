import { useEffect, useRef, useState } from 'react';
import { Check, Copy, X } from 'lucide-react';
import { IconButton } from '../../ui';
import { useMarkdownEnvironment } from './environment';

const SHOWN_MS = 1_600;

/** Copies text and says whether it worked. `text` may be a function, so that long text is joined only when wanted. */
export function CopyButton({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  const { copyText } = useMarkdownEnvironment();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    const copied = await copyText(typeof text === 'string' ? text : text());
    setState(copied ? 'copied' : 'failed');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState('idle'), SHOWN_MS);
  };
  const names = { idle: label, copied: 'Copied', failed: 'Could not copy' };
  return (
    <IconButton label={names[state]} size="small" onClick={() => void copy()}>
      {state === 'idle' ? <Copy size={13} /> : state === 'copied' ? <Check size={13} /> : <X size={13} />}
    </IconButton>
  );
}
