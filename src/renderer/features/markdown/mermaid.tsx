import { memo, useEffect, useState } from 'react';
import { Code, Image } from 'lucide-react';
import { IconButton } from '../../ui';
import { CodeBlock } from './code-block';
import { CopyButton } from './copy-button';
import { drawDiagram, drawnDiagram } from './mermaid-client';
import { useDarkTheme } from './use-theme';
import styles from './markdown.module.css';

/** A Mermaid fence: its code while it grows or cannot be drawn, else the diagram as an image, with the code one press away. */
export const Diagram = memo(function Diagram({ source, frozen }: { source: string; frozen: boolean }) {
  const dark = useDarkTheme();
  const [drawing, setDrawing] = useState(() => (frozen ? drawnDiagram(source, dark) : null));
  const [asCode, setAsCode] = useState(false);
  useEffect(() => {
    if (!frozen) return;
    let current = true;
    void drawDiagram(source, dark).then((done) => current && setDrawing(done));
    return () => {
      current = false;
    };
  }, [source, dark, frozen]);

  if (!drawing?.ok || asCode) {
    const toggle = drawing?.ok && (
      <IconButton label="Show diagram" size="small" onClick={() => setAsCode(false)}>
        <Image size={13} />
      </IconButton>
    );
    return (
      <>
        <CodeBlock code={source} info="mermaid" frozen={frozen} actions={toggle || undefined} />
        {drawing && !drawing.ok && <p className={styles.note}>Not drawn: {drawing.reason}</p>}
      </>
    );
  }
  return (
    <figure className={styles.diagram}>
      <img
        src={drawing.url}
        alt={`Diagram: ${source.slice(0, 200)}`}
        width={drawing.width}
        height={drawing.height}
        draggable={false}
      />
      <div className={styles.diagramActions}>
        <IconButton label="Show code" size="small" onClick={() => setAsCode(true)}>
          <Code size={13} />
        </IconButton>
        <CopyButton text={source} label="Copy code" />
      </div>
    </figure>
  );
});
