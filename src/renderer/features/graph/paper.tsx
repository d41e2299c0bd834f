import { useLayoutEffect, useMemo, useRef } from 'react';
import type { TurnNode } from '@shared/graph/turns';
import { useGraph, useGraphState } from './context';
import { useFlowView } from './flow-view';
import { paint, readPalette } from './paint';
import styles from './graph.module.css';

const NO_HITS: ReadonlySet<TurnNode> = new Set();

/** The canvas behind the nodes. Painted in the same frame in which React Flow moves them. */
export function Paper({ isFar, isDark }: { isFar: boolean; isDark: boolean }) {
  const { store, texts } = useGraph();
  const { view, size } = useFlowView();
  const version = useGraphState((state) => state.version);
  const hits = useGraphState((state) => state.search.hits);
  const canvas = useRef<HTMLCanvasElement>(null);
  const hitSet = useMemo(() => (hits.length > 0 ? new Set(hits) : NO_HITS), [hits]);
  const palette = useRef<{ isDark: boolean; colors: ReturnType<typeof readPalette> } | null>(null);
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || size.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(size.width * ratio);
    const height = Math.round(size.height * ratio);
    if (element.width !== width || element.height !== height) Object.assign(element, { width, height });
    if (palette.current?.isDark !== isDark) palette.current = { isDark, colors: readPalette(element) };
    const { graph } = store;
    const sourceOf = (node: TurnNode): TurnNode | null => {
      const { fromId } = texts(node);
      const source = fromId === null ? undefined : graph.turns.place(fromId)?.node;
      return source ? graph.layout.cellOf(source) : null;
    };
    paint(context, { graph, view, size, palette: palette.current.colors, isFar, hits: hitSet, sourceOf }, ratio);
  }, [view, size, isFar, isDark, version, hitSet, store, texts]);
  return <canvas ref={canvas} className={styles.paper} aria-hidden />;
}
