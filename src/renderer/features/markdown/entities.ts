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
