import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Code, Image } from 'lucide-react';
import { IconButton } from '../../ui';
import { CodeBlock } from './code-block';
import { CopyButton } from './copy-button';
import { drawDiagram, drawnDiagram, type DrawnImage } from './mermaid-client';
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
        {drawing && !drawing.ok && (
          <div role="note" className={styles.note}>
            This diagram was not drawn. {drawing.reason}
            {drawing.details !== undefined && (
              <details className={styles.details}>
                <summary>Details</summary>
                <pre>{drawing.details}</pre>
              </details>
            )}
          </div>
        )}
      </>
    );
  }
  return (
    <figure className={styles.diagram} data-markdown={`\`\`\`mermaid\n${source}\n\`\`\``} data-block>
      <DiagramImage drawing={drawing} source={source} />
      <div className={styles.diagramActions}>
        <IconButton label="Show code" size="small" onClick={() => setAsCode(true)}>
          <Code size={13} />
        </IconButton>
        <CopyButton text={source} label="Copy code" />
      </div>
    </figure>
  );
});

/** Its address lives as long as it stands there, however many other diagrams are drawn meanwhile. */
function DiagramImage({ drawing, source }: { drawing: DrawnImage; source: string }) {
  const element = useRef<HTMLImageElement>(null);
  // Before the row is measured: without an address the image has no size.
  useLayoutEffect(() => {
    const url = URL.createObjectURL(drawing.image);
    element.current?.setAttribute('src', url);
    return () => URL.revokeObjectURL(url);
  }, [drawing]);
  return (
    <img
      ref={element}
      alt={`Diagram: ${source.slice(0, 200)}`}
      width={drawing.width}
      height={drawing.height}
      draggable={false}
    />
  );
}
