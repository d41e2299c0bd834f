/**
 * The one classifier of addresses that come out of model output, files and tools (QC2, QC3, RD9): what may be
 * handed to the system's browser, and how it is shown before. Everything that is not plainly fine is refused.
 */

export interface UrlVerdict {
  /** May be opened, after the person has seen `display`. */
  ok: boolean;
  /** Lower case, without the colon; empty if there is none. */
  scheme: string;
  /** Punycode host with port, or the mail domain; empty when refused. */
  host: string;
  /** What to show: the whole normalised address, or the refused text, with invisible characters as escapes. */
  display: string;
  /** What to hand on; empty when refused. Never the raw text, which another parser could read differently. */
  href: string;
  /** Why it is refused, or what to look at before opening; null if nothing is odd. */
  warning: string | null;
}

/** Longer addresses are refused: no browser needs them, and a dialog cannot show them. */
const MAX_URL_CHARS = 8_192;

// Bidi controls, zero-width characters, line separators, soft hyphen, tags, variation selectors, fillers: not seen, but there.
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|\udb40[\udc00-\udfff]/g;

/** The text with every invisible or direction-changing character written as `\u{…}`. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Whether the text holds a character that `escapeInvisible` would write out. */
export function hasInvisible(text: string): boolean {
  INVISIBLE.lastIndex = 0;
  const found = INVISIBLE.test(text);
  INVISIBLE.lastIndex = 0;
  return found;
}

/**
 * Classifies an address. Only `http://`, `https://` and `mailto:` in full form pass. Never throws, for any string.
 * Names in other scripts come back in punycode; invisible characters as escapes.
 */
export function classifyUrl(raw: string): UrlVerdict {
  const text = raw.replace(/^ +| +$/g, '');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase() ?? '';
  const refuse = (warning: string): UrlVerdict => ({
    ok: false,
    scheme,
    host: '',
    display: escapeInvisible(text.length > MAX_URL_CHARS ? `${text.slice(0, MAX_URL_CHARS)}…` : text),
    href: '',
    warning,
  });
  if (text === '') return refuse('The link is empty.');
  if (text.length > MAX_URL_CHARS) return refuse('The address is too long to check.');
  // A browser drops tabs and newlines inside an address: `java\nscript:` would come alive.

  if (/[\u0000-\u001f\u007f]/.test(text)) return refuse('The address contains control characters.');
  if (/[\ud800-\udfff]/.test(text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '')))
    return refuse('The address is damaged.');
  if (scheme === 'mailto') return classifyMail(text, refuse);
  if (scheme === 'http' || scheme === 'https') return classifyWeb(text, scheme, refuse);
  if (scheme === '') return refuse('It is not a full web address.');
  return refuse(`Links of type “${scheme}:” are not opened.`);
}

type Refuse = (warning: string) => UrlVerdict;

function classifyWeb(text: string, scheme: string, refuse: Refuse): UrlVerdict {
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined || authority === '') return refuse('It is not a full web address.');
  if (authority.includes('\\')) return refuse('The site name contains a backslash.');
  if (/\s/.test(authority)) return refuse('The site name contains a space.');
  if (hasInvisible(authority)) return refuse('The site name contains invisible characters.');
  // A percent-encoded name is decoded by some programs and taken literally by others.
  if (authority.slice(authority.lastIndexOf('@') + 1).includes('%')) return refuse('The site name is encoded.');
  const url = parse(text);
  if (!url || url.host === '') return refuse('It is not a web address.');
  return {
    ok: true,
    scheme,
    host: url.host,
    display: escapeInvisible(url.href),
    href: url.href,
    warning: webWarning(url, text),
  };
}

function webWarning(url: URL, text: string): string | null {
  if (url.username !== '' || url.password !== '') {
    return `The part before “@” is a user name. The site is ${url.host}.`;
  }
  if (/(^|\.)xn--/.test(url.hostname)) {
    return `The site name uses letters that can be mistaken for others. Its real name is ${url.hostname}.`;
  }
  if (isLocalHost(url.hostname)) return 'It points to this computer or the local network.';
  if (/^\d+(\.\d+){3}$/.test(url.hostname) || url.hostname.startsWith('['))
    return 'The site is an IP address, not a name.';
  if (hasInvisible(text)) return 'The address contains invisible characters. They are shown as codes.';
  return null;
}

function isLocalHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost') || name.endsWith('.local') || name.endsWith('.internal'))
    return true;
  if (/^(0|10|127)\./.test(name) && /^\d+(\.\d+){3}$/.test(name)) return true;
  if (/^(192\.168|169\.254|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d+/.test(name)) return true;
  return /^\[(::1?\]|::ffff:|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/.test(name);
}

const MAIL_FIELDS = new Set(['subject', 'body', 'cc', 'bcc', 'to']);

function classifyMail(text: string, refuse: Refuse): UrlVerdict {
  const url = parse(text);
  if (!url) return refuse('It is not an email address.');
  const addresses = decodePercent(url.pathname);
  if (addresses === null || hasInvisible(addresses)) return refuse('The email address contains invisible characters.');
  const domain = /^[^@\s,"<>\\]+@([^@\s,"<>\\/?#:[\]%]+)$/.exec(addresses.split(',')[0] ?? '')?.[1];
  const host = domain === undefined ? undefined : parse(`http://${domain}`)?.host;
  if (!host) return refuse('It is not an email address.');
  for (const pair of url.search.slice(1).split('&').filter(Boolean)) {
    const [name = '', value = ''] = pair.split('=', 2);
    const field = decodePercent(name)?.toLowerCase() ?? '';
    // `attach=/etc/passwd` is honoured by some mail programs.
    if (!MAIL_FIELDS.has(field)) return refuse(`The mail link sets “${escapeInvisible(field)}”.`);
    const decoded = decodePercent(value);
    if (decoded === null || (field !== 'body' && /[\r\n]/.test(decoded)))
      return refuse('The mail link adds hidden lines.');
  }
  const warning =
    addresses.includes(',') || /[?&](cc|bcc|to)=/i.test(url.search) ? 'It goes to several addresses.' : null;
  return { ok: true, scheme: 'mailto', host, display: escapeInvisible(url.href), href: url.href, warning };
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
