import { memo, useEffect, useLayoutEffect, useReducer, useRef } from 'react';
import { chargeFrame, hasRoom, inNextFrame } from './frame-room';
import styles from './markdown.module.css';

/** Longer formulas are shown as code. */
const MAX_TEX_CHARS = 1_500;
const MAX_DRAWN = 300;

type Draw = (tex: string, display: boolean, into: HTMLElement) => void;
let draw: Draw | null = null;
let loading: Promise<void> | null = null;
/** Drawn formulas by source, cloned when a row scrolls back into view. Null: KaTeX does not understand it. */
const drawn = new Map<string, DocumentFragment | null>();

function loadKatex(): Promise<void> {
  loading ??= import('./katex-entry').then(
    (module) => {
      draw = module.drawFormula;
    },
    () => {
      loading = null;
    },
  );
  return loading;
}

const keyOf = (tex: string, display: boolean): string => `${display ? 'd' : 'i'}${tex}`;

function drawFormula(tex: string, display: boolean): DocumentFragment | null {
  const key = keyOf(tex, display);
  const known = drawn.get(key);
  if (known !== undefined || !draw) return known ?? null;
  const startedAt = performance.now();
  const holder = document.createElement('span');
  let made: DocumentFragment | null = null;
  try {
    draw(tex, display, holder);
    made = document.createDocumentFragment();
    made.append(...holder.childNodes);
  } catch {
    // shown as code: a formula that KaTeX refuses is the author's text, not our failure
  }
  if (drawn.size >= MAX_DRAWN) drawn.delete(drawn.keys().next().value ?? '');
  drawn.set(key, made);
  chargeFrame((performance.now() - startedAt) * 1e6);
  return made;
}

/** A formula. Until KaTeX is loaded, and where it cannot read the formula, the source is shown as code. */
export const Formula = memo(function Formula({ tex, display }: { tex: string; display: boolean }) {
  const [, repaint] = useReducer((count: number) => count + 1, 0);
  const holder = useRef<HTMLSpanElement>(null);
  const wanted = tex.length <= MAX_TEX_CHARS && tex !== '';
  const ready = draw !== null;
  // Of many formulas some are drawn in each frame.
  const isDue = wanted && ready && (drawn.has(keyOf(tex, display)) || hasRoom());
  const formula = isDue ? drawFormula(tex, display) : null;
  const isWaiting = wanted && ready && !isDue;
  // After each try: the formulas before it in the frame may have taken all of the room again.
  useEffect(() => (isWaiting ? inNextFrame(repaint) : undefined));

  useEffect(() => {
    if (ready || !wanted) return;
    let current = true;
    void loadKatex().then(() => current && repaint());
    return () => {
      current = false;
    };
  }, [ready, wanted]);

  useLayoutEffect(() => {
    if (formula) holder.current?.replaceChildren(formula.cloneNode(true));
  }, [formula]);

  if (!formula) return <code className={display ? styles.formulaSource : undefined}>{tex}</code>;
  return <span ref={holder} className={display ? styles.formula : undefined} />;
});
