import { memo, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Code, Image } from 'lucide-react';
import { IconButton } from '../../ui';
import { CodeBlock } from './code-block';
import { CopyButton } from './environment';
import styles from './markdown.module.css';
import { drawDiagram, drawnDiagram, type DrawnImage } from './mermaid-client';

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

const isDark = (): boolean => document.documentElement.dataset.theme === 'dark';

/** Whether the dark theme is on, from `<html data-theme>`. */
function useDarkTheme(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

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
