// With the page, and not with KaTeX: a style that comes later has all of the page laid out again.
import 'katex/dist/katex.min.css';
import { memo, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react';
import type { Token } from 'marked';
import { NS_ELEMENT } from './fit-tokens';
import { chargeFrame, hasRoom, inNextFrame, takeAdvance } from './frame-room';
import { formulasOf } from './lex';
import styles from './markdown.module.css';

/** Longer formulas are shown as their source. */
const MAX_CHARS = 1_500;
/** Braces, roots and brackets within each other: each level lays out all those in it once more. */
const MAX_DEPTH = 30;
/** Microseconds that one formula may take, drawn and laid out: it can't be drawn in parts. */
const MAX_MICROSECONDS = 35_000;
const LETTER = 33;
/** Also one that is made of a letter and its accent. */
const OTHER_LETTER = 300;
const SCRIPT = 110;
const COMMAND = 250;
/** Of a matrix or an alignment. */
const CELL = 180;

/** What follows is read as no braces, or each sign of it is an arrow: nothing here tells how deep or dear it is. */
const HIDES = /(?<!\\)(?:\\\\)*%|\\verb|\\begin\s*\{CD\}/;
/** A formula is no program: what it defines could stand a hundred thousand times in what is drawn. */
const DEFINES =
  /\\(?:[gex]?def|(?:future)?let|(?:re|provide)?newcommand|renewcommand|providecommand|global|long)(?![a-zA-Z])/;
const PART = /\\(?:([a-zA-Z]+)|[\s\S])|[{}&]|[^\s\\{}&]/g;

/** Whether KaTeX may draw a formula: it is no longer, deeper or dearer than one task can take (A2), by its characters alone. */
export function isDrawable(tex: string): boolean {
  if (tex === '' || tex.length > MAX_CHARS || HIDES.test(tex) || DEFINES.test(tex)) return false;
  let cost = 0;
  let depth = 0;
  for (const [part, name] of tex.matchAll(PART)) {
    if (part === '{' || name === 'left' || name === 'begin') depth += 1;
    else if (part === '}' || name === 'right' || name === 'end') depth = Math.max(0, depth - 1);
    else if (part === '&' || part === '\\\\') cost += CELL;
    else cost += costOfPart(part);
    if (depth > MAX_DEPTH || cost > MAX_MICROSECONDS) return false;
  }
  return true;
}

function costOfPart(part: string): number {
  if (part.startsWith('\\')) return COMMAND;
  if (part === '^' || part === '_') return SCRIPT;
  return part < '\x7f' ? LETTER : OTHER_LETTER;
}

const MAX_DRAWN = 300;

type Draw = (tex: string, display: boolean, into: HTMLElement) => void;
let draw: Draw | null = null;
let loading: Promise<void> | null = null;

/** A formula as elements. Null: KaTeX does not understand it. */
interface Drawn {
  nodes: DocumentFragment | null;
  /** A single letter is a dozen of them. */
  elements: number;
}

/** Drawn formulas by source, cloned when a row scrolls back into view. */
const drawn = new Map<string, Drawn>();

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

/** What the formulas of a block cost that are drawn at once with it because they have been drawn before, in nanoseconds. */
export function costOfFormulas(token: Token): number {
  return formulasOf(token).reduce((sum, { tex, display }) => sum + costOf(drawn.get(keyOf(tex, display))), 0);
}

const costOf = (known: Drawn | undefined): number => (known?.elements ?? 0) * NS_ELEMENT;

/** A formula for which the frame has room, or its block has paid; null if it must wait. A clone has as many elements as the first. */
function takeFormula(tex: string, display: boolean): Drawn | null {
  const key = keyOf(tex, display);
  const known = drawn.get(key);
  if (known && takeAdvance(costOf(known))) return known;
  if (!hasRoom()) return null;
  const startedAt = performance.now();
  const taken = known ?? drawFormula(tex, display);
  if (!known) {
    if (drawn.size >= MAX_DRAWN) drawn.delete(drawn.keys().next().value ?? '');
    drawn.set(key, taken);
  }
  chargeFrame((performance.now() - startedAt) * 1e6 + costOf(taken));
  return taken;
}

function drawFormula(tex: string, display: boolean): Drawn {
  const holder = document.createElement('span');
  try {
    draw?.(tex, display, holder);
  } catch {
    // shown as code: a formula that KaTeX refuses is the author's text, not our failure
    return { nodes: null, elements: 0 };
  }
  const nodes = document.createDocumentFragment();
  nodes.append(...holder.childNodes);
  return { nodes, elements: nodes.querySelectorAll('*').length };
}

/** A formula. Until KaTeX is loaded, and where it cannot read the formula, the source is shown as code. */
export const Formula = memo(function Formula({ tex, display }: { tex: string; display: boolean }) {
  const [, repaint] = useReducer((count: number) => count + 1, 0);
  const holder = useRef<HTMLSpanElement>(null);
  const [shown] = useState(() => ({ key: '', formula: null as Drawn | null }));
  const wanted = useMemo(() => isDrawable(tex), [tex]);
  const ready = draw !== null;
  const key = keyOf(tex, display);
  // Of many formulas some are drawn in each frame.
  if (shown.key !== key) {
    shown.key = key;
    shown.formula = null;
  }
  if (wanted && ready) shown.formula ??= takeFormula(tex, display);
  const isWaiting = wanted && ready && !shown.formula;
  const nodes = shown.formula?.nodes;
  // After each try: the formulas before it in the frame may have taken all of the room again.
  // oxlint-disable-next-line react/exhaustive-deps -- once more after each drawing, until all of it is drawn
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
    if (nodes) holder.current?.replaceChildren(nodes.cloneNode(true));
  }, [nodes]);

  if (!nodes) return <code className={display ? styles.formulaSource : undefined}>{tex}</code>;
  return (
    <span
      ref={holder}
      className={display ? styles.formula : undefined}
      data-markdown={display ? `$$\n${tex}\n$$` : `$${tex}$`}
      data-block={display || undefined}
    />
  );
});

/**
 * Fetches the faces of nearly every formula, before anything is shown: when a face arrives, everything on the page is laid out again,
 * which takes a tenth of a second in the middle of a very long reply.
 */
export function fetchFormulaFaces({ fonts }: Document): void {
  for (const face of ['1em KaTeX_Main', 'italic 1em KaTeX_Math']) {
    // Without it formulas are drawn in the letters of the text.
    fonts.load(face).catch(() => undefined);
  }
}
