import { useEffect, useRef, useState } from 'react';
import type { TerminalFrame } from '@shared/extensions/terminal';
import { useApp, useLive, useSession } from '../../state/hooks';
import { Button, VisuallyHidden } from '../../ui';
import { columnsIn } from './terminal-size';
import { frameText, TerminalGrid } from './terminal-grid';
import styles from './terminal.module.css';

interface DrawnProps {
  of: 'call' | 'result' | 'entry';
  /** The tool's name, or the entry's type. */
  name: string;
  id: string;
}

/** What an extension draws of a call or a message, below what is a fact of it (EX16, EX24). Nothing where none does. */
export function Drawn(props: DrawnProps) {
  const draws = useLive(useSession(), (live) => live.extensionShows.draws);
  const names = props.of === 'entry' ? draws.types : draws.tools;
  return names.includes(props.name) ? <Asked {...props} /> : null;
}

function Asked({ of, name, id }: DrawnProps) {
  const app = useApp();
  const session = useSession();
  const place = useRef<HTMLDivElement>(null);
  const [frame, setFrame] = useState<TerminalFrame | null>(null);
  const [isExpanded, setExpanded] = useState(false);
  useEffect(() => {
    let isOver = false;
    const columns = place.current && columnsIn(place.current);
    if (!columns) return;
    const asked = { sessionId: session.id, name, of, drawnId: id, columns, isExpanded };
    // What it could not draw is told by its name (EX17).
    app.client.request('extensions.drawn', asked).then(
      (drawn) => !isOver && setFrame(drawn),
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [app, session, of, name, id, isExpanded]);
  const isEmpty = !frame || frame.pieces.length === 0;
  return (
    <div ref={place} className={styles.drawn} data-drawn={of}>
      {frame && !isEmpty && (
        <>
          <TerminalGrid frame={frame} />
          <VisuallyHidden>{frameText(frame)}</VisuallyHidden>
        </>
      )}
      {(!isEmpty || isExpanded) && of !== 'call' && (
        <Button tone="link" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
          {isExpanded ? 'Less of it' : 'More of it'}
        </Button>
      )}
    </div>
  );
}
