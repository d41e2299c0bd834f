/** Draws Mermaid diagrams in a sandboxed frame of its own origin and policy; this page only ever sees an image. */

/** Time a diagram gets: its text decides how long it takes. */
const DRAW_TIMEOUT_MS = 20_000;
/** Time the frame gets to load Mermaid, which is the machine's affair. */
const START_TIMEOUT_MS = 120_000;
/** Longer sources are shown as code. */
const MAX_DIAGRAM_CHARS = 20_000;
const MAX_KEPT = 40;

export interface DrawnImage {
  ok: true;
  /** SVG. Who shows it makes an address of it and takes that back. */
  image: Blob;
  width: number;
  height: number;
}
/** `details`: the program's own words. */
export type Drawing = DrawnImage | { ok: false; reason: string; details?: string };

interface DrawAnswer {
  id: number;
  svg?: string;
  error?: string;
  details?: string;
}

interface Job {
  id: number;
  source: string;
  dark: boolean;
  resolve: (answer: DrawAnswer) => void;
}

interface Kept {
  drawing: Promise<Drawing>;
  /** Null while it is being drawn. */
  done: Drawing | null;
}

const kept = new Map<string, Kept>();
let frame: Promise<MessagePort> | null = null;
let frameElement: HTMLIFrameElement | null = null;
let queue: Promise<unknown> = Promise.resolve();
let nextId = 1;

/** Draws a diagram, one at a time; never rejects. The newest results are kept. */
export function drawDiagram(source: string, dark: boolean): Promise<Drawing> {
  const key = keyOf(source, dark);
  const known = kept.get(key);
  if (known) return known.drawing;
  if (source.length > MAX_DIAGRAM_CHARS)
    return Promise.resolve({ ok: false, reason: 'The diagram is too long to draw.' });
  const drawing = queue.then(() => drawNow(source, dark));
  queue = drawing;
  const entry: Kept = { drawing, done: null };
  kept.set(key, entry);
  void drawing.then((done) => (entry.done = done));
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value ?? '');
  return drawing;
}

/** The diagram if it has been drawn: a row that comes back on screen has its height at once. */
export function drawnDiagram(source: string, dark: boolean): Drawing | null {
  return kept.get(keyOf(source, dark))?.done ?? null;
}

function keyOf(source: string, dark: boolean): string {
  return `${dark ? 'd' : 'l'}${source}`;
}

async function drawNow(source: string, dark: boolean): Promise<Drawing> {
  const answer = await new Promise<DrawAnswer>((resolve) => {
    const id = nextId++;
    let isOver = false;
    const giveUp = (error: string): void => {
      isOver = true;
      dropFrame();
      // A busy moment is not a property of the diagram: the next look at it tries again.
      kept.delete(keyOf(source, dark));
      resolve({ id, error });
    };
    let timer = setTimeout(() => giveUp('The diagram renderer did not start.'), START_TIMEOUT_MS);
    void (frame ??= openFrame()).then((port) => {
      if (isOver) return;
      clearTimeout(timer);
      timer = setTimeout(() => giveUp(`Drawing took longer than ${DRAW_TIMEOUT_MS / 1000} seconds.`), DRAW_TIMEOUT_MS);
      sendJob(port, { id, source, dark, resolve: (done) => (clearTimeout(timer), resolve(done)) });
    });
  });
  if (answer.svg === undefined) return { ok: false, reason: answer.error ?? NOT_DRAWN, details: answer.details };
  const { width, height } = sizeOf(answer.svg);
  return { ok: true, image: new Blob([answer.svg], { type: 'image/svg+xml' }), width, height };
}

function sendJob(port: MessagePort, { id, source, dark, resolve }: Job): void {
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const answer = readAnswer(data);
    if (answer?.id === id) resolve(answer);
  };
  port.postMessage({ id, source, dark });
}

/** The frame is made once and reused. It has no origin of its own (`allow-scripts` alone), so it reaches nothing of ours. */
function openFrame(): Promise<MessagePort> {
  return new Promise((resolve) => {
    const element = document.createElement('iframe');
    element.setAttribute('sandbox', 'allow-scripts');
    element.src = new URL('mermaid-frame/index.html', document.baseURI).href;
    element.title = 'Diagram drawing';
    element.tabIndex = -1;
    element.setAttribute('aria-hidden', 'true');
    // It must have a size: Mermaid measures text. Off the screen, so that it takes no input and no place.
    Object.assign(element.style, {
      position: 'fixed',
      left: '-9999px',
      top: '0',
      width: '1000px',
      height: '800px',
      border: '0',
      visibility: 'hidden',
    });
    element.addEventListener('load', () => {
      const channel = new MessageChannel();
      // The frame's origin is opaque, so there is no target origin to name; the port is the only way back.
      element.contentWindow?.postMessage('connect', '*', [channel.port2]);
      resolve(channel.port1);
    });
    frameElement = element;
    document.body.append(element);
  });
}

function dropFrame(): void {
  frameElement?.remove();
  frameElement = null;
  frame = null;
}

function readAnswer(data: unknown): DrawAnswer | null {
  if (data === null || typeof data !== 'object') return null;
  const { id, svg, error } = data as Record<string, unknown>;
  if (typeof id !== 'number') return null;
  if (typeof svg === 'string') return { id, svg };
  return typeof error === 'string' ? { id, error: reasonOf(error), details: error } : { id, error: NOT_DRAWN };
}

const NOT_DRAWN = 'The diagram could not be drawn.';

/** What a person can do something with, of what the program says: where it stopped reading. */
function reasonOf(details: string): string {
  const [, line] = /\bon line (\d+)/.exec(details) ?? [];
  return `Mermaid does not understand its text${line === undefined ? '' : `, in or before line ${line}`}.`;
}

/** Width and height in pixels from the image's `viewBox`, so that the page reserves its place. */
function sizeOf(svg: string): { width: number; height: number } {
  const box = /<svg[^>]*\sviewBox="\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(svg.slice(0, 4_000));
  return { width: Math.ceil(Number(box?.[1] ?? 600)), height: Math.ceil(Number(box?.[2] ?? 400)) };
}
