import { memo, useEffect, useLayoutEffect, useReducer, useRef } from 'react';
import styles from './markdown.module.css';

/** Longer formulas are shown as code. */
const MAX_TEX_CHARS = 4_000;
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

function drawFormula(tex: string, display: boolean): DocumentFragment | null {
  const key = `${display ? 'd' : 'i'}${tex}`;
  const known = drawn.get(key);
  if (known !== undefined || !draw) return known ?? null;
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
  return made;
}

/** A formula. Until KaTeX is loaded, and where it cannot read the formula, the source is shown as code. */
export const Formula = memo(function Formula({ tex, display }: { tex: string; display: boolean }) {
  const [, repaint] = useReducer((count: number) => count + 1, 0);
  const holder = useRef<HTMLSpanElement>(null);
  const wanted = tex.length <= MAX_TEX_CHARS && tex !== '';
  const ready = draw !== null;
  const formula = wanted && ready ? drawFormula(tex, display) : null;

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
