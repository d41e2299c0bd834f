import { useEffect, useState } from 'react';
import type { TerminalFrame } from '@shared/extensions/terminal';
import { visibleString } from '@shared/policy/visible-text';
import { VisuallyHidden } from '../../ui';
import { frameText } from './terminal-grid';

/** Milliseconds without a change after which what is shown is read out. */
const QUIET_MS = 600;

/** What a screen reader hears: the text, once it has come to rest. */
export function ReadOut({ frame, name }: { frame: TerminalFrame | undefined; name: string }) {
  const [text, setText] = useState('');
  useEffect(() => {
    if (!frame) return;
    const timer = setTimeout(() => setText(frameText(frame)), QUIET_MS);
    return () => clearTimeout(timer);
  }, [frame]);
  return (
    <VisuallyHidden>
      <div role="log" aria-label={`Text of ${name}`}>
        {text.split('\n').map((line, index) => (
          <div key={`${index} ${line}`}>{visibleString(line)}</div>
        ))}
      </div>
    </VisuallyHidden>
  );
}
