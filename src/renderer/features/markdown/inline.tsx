import { Fragment, type ReactNode } from 'react';
import type { MarkedToken, Token } from 'marked';
import { CornerDownRight } from 'lucide-react';
import { escapeInvisible, hasInvisible } from '@shared/policy/url';
import { MessageLink, useMarkdownEnvironment } from './environment';
import { REFERENCE } from './fit-tokens';
import { isMathToken } from './lex';
import styles from './markdown.module.css';
import { Formula } from './math';
import { MessageImage } from './picture';

/**
 * Character references in markdown text (`&amp;`, `&#x41;`). The lexer leaves them, and nothing here may be parsed as
 * HTML, so they are decoded from a table: the names that people and models write. Unknown ones stay as they are.
 */
const NAMES = new Map<string, string>(
  Object.entries({
    amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', trade: '™', hellip: '…', mdash: '—', ndash: '–',
    lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„', laquo: '«', raquo: '»', lsaquo: '‹', rsaquo: '›', bull: '•',
    middot: '·', sect: '§', para: '¶', deg: '°', plusmn: '±', times: '×', divide: '÷', minus: '−', frac12: '½', frac14: '¼', frac34: '¾',
    sup1: '¹', sup2: '²', sup3: '³', micro: 'µ', euro: '€', pound: '£', yen: '¥', cent: '¢', curren: '¤', larr: '←', rarr: '→', uarr: '↑',
    darr: '↓', harr: '↔', lArr: '⇐', rArr: '⇒', uArr: '⇑', dArr: '⇓', hArr: '⇔', infin: '∞', ne: '≠', le: '≤', ge: '≥', asymp: '≈',
    equiv: '≡', cong: '≅', sim: '∼', prop: '∝', sum: '∑', prod: '∏', int: '∫', part: '∂', nabla: '∇', radic: '√', isin: '∈', notin: '∉',
    ni: '∋', sub: '⊂', sup: '⊃', sube: '⊆', supe: '⊇', cap: '∩', cup: '∪', and: '∧', or: '∨', not: '¬', forall: '∀', exist: '∃',
    empty: '∅', alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ε', zeta: 'ζ', eta: 'η', theta: 'θ', iota: 'ι', kappa: 'κ',
    lambda: 'λ', mu: 'μ', nu: 'ν', xi: 'ξ', omicron: 'ο', pi: 'π', rho: 'ρ', sigma: 'σ', tau: 'τ', upsilon: 'υ', phi: 'φ', chi: 'χ',
    psi: 'ψ', omega: 'ω', Gamma: 'Γ', Delta: 'Δ', Theta: 'Θ', Lambda: 'Λ', Xi: 'Ξ', Pi: 'Π', Sigma: 'Σ', Phi: 'Φ', Psi: 'Ψ', Omega: 'Ω',
    auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', eacute: 'é', egrave: 'è', ecirc: 'ê', agrave: 'à',
    acirc: 'â', aacute: 'á', ccedil: 'ç', ntilde: 'ñ', oacute: 'ó', ocirc: 'ô', uacute: 'ú', iacute: 'í', aring: 'å', Aring: 'Å',
    oslash: 'ø', Oslash: 'Ø', aelig: 'æ', AElig: 'Æ', iexcl: '¡', iquest: '¿', dagger: '†', Dagger: '‡', permil: '‰', prime: '′',
    check: '✓', cross: '✗', star: '☆', lbrace: '{', rbrace: '}', lbrack: '[', rbrack: ']', lpar: '(', rpar: ')', grave: '`', ast: '*',
    lowbar: '_', num: '#', percnt: '%', dollar: '$', commat: '@', colon: ':', semi: ';', comma: ',', period: '.', sol: '/', bsol: '\\',
    vert: '|', verbar: '|', excl: '!', quest: '?', plus: '+', equals: '=', hyphen: '‐', Tab: '\t', NewLine: '\n', ensp: '\u2002',
    emsp: '\u2003', thinsp: '\u2009', zwnj: '\u200c', zwj: '\u200d', lrm: '\u200e', rlm: '\u200f', shy: '\u00ad',
  }),
); // prettier-ignore

/** Replaces the character references that are known; everything else stays as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,30}));/g,
    (whole, decimal, hex, name) => {
      if (typeof name === 'string') return NAMES.get(name) ?? whole;
      const code = typeof decimal === 'string' ? Number.parseInt(decimal, 10) : Number.parseInt(String(hex), 16);
      const valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return valid ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}

/** Digits of a long id that are shown. */
const SHOWN = 8;

/** Text with its references to messages as chips; `show` draws what is between them. */
function withReferences(text: string, show: (text: string) => ReactNode): ReactNode {
  if (!text.includes('[entry:')) return show(text);
  const parts = text.split(REFERENCE);
  if (parts.length === 1) return show(text);
  // Split by one group: text and id in turn.
  return parts.map((part, index) => (index % 2 === 0 ? show(part) : <EntryChip key={index} id={part} />));
}

function EntryChip({ id }: { id: string }) {
  const { openEntry } = useMarkdownEnvironment();
  if (!openEntry) return `[entry:${id}]`;
  return (
    <button
      type="button"
      className={styles.entry}
      title="Go to this message"
      data-markdown={`[entry:${id}]`}
      onClick={() => openEntry(id)}
    >
      <CornerDownRight size={11} aria-hidden />
      <span>message {id.slice(0, SHOWN)}</span>
    </button>
  );
}

/** Nesting beyond this is shown as its source: no hand writes it, and each level is a React frame. */
const MAX_DEPTH = 24;

/** Inline tokens as React nodes. Raw HTML comes out as the text that it is; only `<br>` breaks the line. */
export function renderInline(tokens: readonly Token[] | undefined, depth = 0, inLink = false): ReactNode[] {
  return (tokens ?? []).map((token, index) => <Fragment key={index}>{renderToken(token, depth, inLink)}</Fragment>);
}

function renderToken(generic: Token, depth: number, inLink: boolean): ReactNode {
  if (isMathToken(generic)) return <Formula tex={generic.tex} display={generic.display} />;
  const token = generic as MarkedToken;
  if (depth > MAX_DEPTH) return token.raw;
  switch (token.type) {
    case 'text':
      if (token.tokens) return renderInline(token.tokens, depth + 1, inLink);
      // A link holds no other control.
      return inLink
        ? showText(decodeEntities(token.text))
        : withReferences(token.text, (text) => showText(decodeEntities(text)));
    case 'escape':
      return token.text;
    case 'strong':
      return <strong>{renderInline(token.tokens, depth + 1, inLink)}</strong>;
    case 'em':
      return <em>{renderInline(token.tokens, depth + 1, inLink)}</em>;
    case 'del':
      return <del>{renderInline(token.tokens, depth + 1, inLink)}</del>;
    case 'codespan':
      return <code className={styles.code}>{showText(token.text)}</code>;
    case 'br':
      return <br />;
    case 'checkbox':
      return (
        <input type="checkbox" className={styles.task} checked={token.checked} readOnly disabled aria-label="Task" />
      );
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? <br /> : showText(token.raw);
    case 'image':
      return <MessageImage src={decodeEntities(token.href)} alt={decodeEntities(token.text)} />;
    case 'link':
      return (
        <MessageLink url={token.autolink ? token.href : decodeEntities(token.href)} text={plainText(token.tokens)}>
          {renderInline(token.tokens, depth + 1, true)}
        </MessageLink>
      );
    default:
      return showText(token.raw);
  }
}

// Emoji are joined by U+200D and shaped by U+FE0F: those two stay between visible characters.
const EMOJI_JOINERS = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f#*0-9])[\u200d\ufe0f]/gu;

/** Text with bidi controls and zero-width characters written out (QC3). */
export function showText(text: string): ReactNode {
  if (!hasInvisible(text.replace(/[\n\t]/g, ''))) return text;
  const kept: string[] = [];
  const marked = text.replace(EMOJI_JOINERS, (joiner) => (kept.push(joiner), '\ue000'));
  return marked
    .split(/([\n\t\ue000])/)
    .map((part) => (part === '\ue000' ? kept.shift() : part === '\n' || part === '\t' ? part : escapeInvisible(part)))
    .join('');
}

/** The words of inline tokens, without their form. */
function plainText(tokens: readonly Token[] | undefined): string {
  return (tokens ?? [])
    .map((token) =>
      'tokens' in token && token.tokens
        ? plainText(token.tokens)
        : 'text' in token
          ? decodeEntities(String(token.text))
          : '',
    )
    .join('');
}
