import { useEffect, useMemo, useRef, useState } from 'react';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { CanvasLayout } from '@shared/graph/canvas';
import { inPieces } from '../../state/order';

/** The graph, and what of it is drawn: another number once anything has changed. */
interface Wanted {
  graph: BranchGraph;
  version: number;
  lanes: number;
  rows: number;
}

/** So often what comes meanwhile may cut the work short: then it is done at once. */
const MOST_CUTS = 3;

/**
 * The chapters that fit into lanes and rows, of what is in the graph now (GR8). Null while those of a long session are laid out, which leaves
 * the window free (GR30), and where none are wanted.
 */
export function useChapters(wanted: Wanted | null): CanvasLayout | null {
  const { graph, version = 0, lanes = 0, rows = 0 } = wanted ?? {};
  const [rounds, setRounds] = useState(0);
  const cuts = useRef(0);
  const chapters = useMemo(
    () => (graph && version + rounds >= 0 ? graph.layouts.fittingNow(lanes, rows) : null),
    [graph, version, rounds, lanes, rows],
  );
  useEffect(() => {
    if (!graph || chapters) return void (cuts.current = 0);
    let isOver = false;
    const { layouts } = graph;
    const make = async (): Promise<void> => {
      if (cuts.current >= MOST_CUTS) layouts.fitting(lanes, rows);
      else await inPieces(layouts.makingChapters(lanes, rows), () => isOver);
      if (isOver) return;
      cuts.current += 1;
      setRounds((round) => round + 1);
    };
    void make();
    return () => void (isOver = true);
  }, [graph, chapters, rounds, lanes, rows]);
  return chapters;
}
