import { useEffect } from 'react';
import type { TurnNode } from '@shared/graph/turns';
import { CoachMark, useTourMark } from '../tour/coach-mark';
import { useFlowView, useGraph, useGraphState, usePicture } from './context';
import styles from './graph.module.css';
import { boxToPane, type Picture, toPane } from './picture';

/** So many turns above HEAD a branch leaves something behind that can be seen. */
const TURNS_BACK = 2;
/** Pixels between the mark and the node, where its label stands, and that a mark is high at most. */
const GAP = 22;
const ROOM = 190;
/** From the left edge of the pane, as in the style sheet. */
const INSET = 12;

/** The last coach mark of the tour: beside a turn of which the + is shown, clear of it and of the paper to its right. */
export function TourMarkInGraph() {
  const { store, overlay } = useGraph();
  const mark = useTourMark();
  const picture = usePicture();
  const version = useGraphState((state) => state.version);
  const node = mark === 'branch' && version >= 0 ? turnToPull(store.graph.head, picture) : null;
  useEffect(() => {
    overlay.setState({ hint: node });
    return () => overlay.setState({ hint: null });
  }, [overlay, node]);
  return node && <Placed node={node} />;
}

function Placed({ node }: { node: TurnNode }) {
  const picture = usePicture();
  const { view, size } = useFlowView();
  const at = boxToPane(picture.boxOf(node), view);
  const bottom = at.y + at.height;
  const plusX = toPane(picture.plusOf(node), view).x;
  const isSeen = at.y > 0 && bottom < size.height && plusX > INSET + 20 && plusX < size.width - INSET - 20;
  if (!isSeen) {
    return (
      <div className={styles.coachPlace} style={{ bottom: 52 }}>
        <CoachMark mark="branch" place="flat" className={styles.coachWide} />
      </div>
    );
  }
  const isAbove = at.y > ROOM;
  return (
    <div className={styles.coachPlace} style={isAbove ? { bottom: size.height - at.y + GAP } : { top: bottom + GAP }}>
      <CoachMark
        mark="branch"
        place={isAbove ? 'above' : 'below'}
        arrowAt={plusX - INSET - 6}
        className={styles.coachWide}
      />
    </div>
  );
}

/** A turn a little above HEAD; HEAD itself where there is none. */
function turnToPull(head: TurnNode | null, picture: Picture): TurnNode | null {
  let found: TurnNode | null = head;
  let turns = 0;
  for (let node = head?.parent ?? null; node && turns < TURNS_BACK; node = node.parent) {
    if (node.kind !== 'turn' || !picture.isCell(node)) continue;
    found = node;
    turns += 1;
  }
  return found && picture.isCell(found) ? found : null;
}
