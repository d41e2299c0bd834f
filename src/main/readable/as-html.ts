import { Marked, type Tokens } from 'marked';
import type { CopyForm, Standing } from './copy-kinds';
import style from './copy.css?raw';
import type { Passage, Piece } from './passage';

/** Longer texts are shown letter by letter: what they would cost to read as Markdown is unknown. Characters. */
const MOST_MARKDOWN = 100_000;
/** Lines of a raw text that stand open. */
const OPEN_LINES = 30;
const OPEN_CHARS = 4_000;
/** Pictures of these kinds are shown; no other, since a page may hold scripts in some. */
const SHOWN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Nothing is loaded and nothing runs, whatever the session holds. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/**
 * A copy as one page (SF26): no script, no address that is loaded, every word from the session escaped. The graph stands beside it: a
 * line a turn, a step in for each branch, a link to where it is said.
 */
export function asHtml(): CopyForm {
  const turns: string[] = [];
  return {
    head: ({ title, folder, date, isTree }) =>
      `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style></head>
<body><main><header><h1 dir="auto">${escapeHtml(title)}</h1>
<p>Exported from Espalier on ${escapeHtml(date)}${folder === '' ? '' : ` · <span dir="auto">${escapeHtml(folder)}</span>`} · ${isTree ? 'all branches' : 'one branch'}</p></header>
`,
    passage(passage, standing) {
      if (standing.turn !== null) turns.push(turnLine(passage, standing));
      return `${section(passage, standing)}\n`;
    },
    end: () => `</main>\n<nav aria-label="Turns"><ol>\n${turns.join('\n')}\n</ol></nav></body></html>\n`,
  };
}

function turnLine({ entryId, kind }: Passage, { level, isStart, turn, isOnPath }: Standing): string {
  const x = 8 + Math.min(level - 1, MOST_STEPS) * STEP;
  const [stroke, fill] = isOnPath ? ['line on', 'dot on'] : ['line', 'dot'];
  const from = x - STEP;
  const way = isStart && level > 1 ? `M${from} 0 C${from} 12 ${x} 2 ${x} 14` : `M${x} 0 V14`;
  const mark =
    kind === 'mark'
      ? `<path class="${fill}" d="M${x} 8l6 6-6 6-6-6z"/>`
      : `<circle class="${fill}" cx="${x}" cy="14" r="4"/>`;
  // What the branch left goes on beside it.
  const beside = Array.from({ length: Math.min(level - 1, MOST_STEPS) }, (_, at) => {
    return `<path class="${at === 0 ? 'line on' : 'line'}" d="M${8 + at * STEP} 0 V28"/>`;
  });
  const svg = `<svg width="${x + 8}" height="28" aria-hidden="true">${beside.join('')}<path class="${stroke}" d="${way} V28"/>${mark}</svg>`;
  return `<li>${svg}<a href="#${anchorOf(entryId)}" dir="auto">${escapeHtml(turn ?? '')}</a></li>`;
}

const STEP = 12;
const MOST_STEPS = 12;

function section({ entryId, kind, title, time, pieces }: Passage, { level, isOnPath }: Standing): string {
  const when =
    time === ''
      ? ''
      : ` <time datetime="${escapeHtml(time)}">${escapeHtml(time.slice(0, 16).replace('T', ' '))}</time>`;
  const side = level > 1 || !isOnPath ? ' side' : '';
  const branch = level > 1 ? ` <span class="branch">branch, level ${level}</span>` : '';
  return `<section class="${kind}${side}" id="${anchorOf(entryId)}"><h2>${escapeHtml(title)}${branch}${when}</h2>${pieces.map(pieceHtml).join('\n')}</section>`;
}

/** An id of another program may be anything: its letters as numbers name no other one. */
const anchorOf = (id: string): string =>
  `e-${/^[\w-]{1,64}$/.test(id) ? id : `x${Buffer.from(id, 'utf8').toString('hex').slice(0, 200)}`}`;

function pieceHtml(piece: Piece): string {
  switch (piece.kind) {
    case 'markdown':
      return `<div class="text" dir="auto">${markdownHtml(piece.text)}</div>`;
    case 'raw': {
      const pre = `<pre dir="auto">${escapeHtml(piece.text)}</pre>`;
      const lines = piece.text.split('\n', OPEN_LINES + 1).length;
      const label = piece.label === null ? '' : escapeHtml(piece.label);
      if (lines <= OPEN_LINES && piece.text.length <= OPEN_CHARS && piece.label !== 'Thinking')
        return `${label === '' ? '' : `<p class="label">${label}</p>`}${pre}`;
      return `<details><summary>${label === '' ? 'Show all of it' : label} · ${piece.text.length.toLocaleString('en')} characters</summary>${pre}</details>`;
    }
    case 'image': {
      const isShown = SHOWN_IMAGES.has(piece.mimeType) && BASE64.test(piece.data);
      return isShown
        ? `<img alt="A picture" src="data:${piece.mimeType};base64,${piece.data}">`
        : '<p class="label">A picture that is not in the file, or of a kind that is not shown</p>';
    }
  }
}

const marked = new Marked({
  async: false,
  gfm: true,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag): string => escapeHtml(text),
    // Nothing is loaded: a picture is the link that it was.
    image: ({ href, text }: Tokens.Image): string => linked(href, escapeHtml(text === '' ? href : text)),
    link({ href, tokens }: Tokens.Link): string {
      return linked(href, this.parser.parseInline(tokens));
    },
    // None is one of ours.
    heading({ tokens, depth }: Tokens.Heading): string {
      const level = Math.min(6, depth + 2);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    checkbox: ({ checked }: Tokens.Checkbox): string => (checked ? '☑ ' : '☐ '),
  },
});

const linked = (href: string, words: string): string =>
  /^(?:https?:\/\/|mailto:)/i.test(href)
    ? `<a href="${escapeHtml(href)}" rel="noopener noreferrer" target="_blank">${words}</a>`
    : `${words} <code>${escapeHtml(href)}</code>`;

function markdownHtml(text: string): string {
  if (text.length > MOST_MARKDOWN) return `<pre dir="auto">${escapeHtml(text)}</pre>`;
  try {
    return marked.parse(text) as string;
  } catch {
    // Nested deeper than the stack: the words count.
    return `<pre dir="auto">${escapeHtml(text)}</pre>`;
  }
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
