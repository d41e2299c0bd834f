import { escapeInvisible, type UrlVerdict } from '@shared/policy/url';

/** Pictures that a message may carry in itself; anything larger is not an illustration. */
export const MAX_DATA_URL_CHARS = 12_000_000;

/** Characters of a path that a place shows; its end names the file. */
const SHOWN_CHARS = 80;

/**
 * Why a picture of a message is not drawn (RD11), in a few words. It is told from the address alone: that a file is outside the
 * workspace or missing is not looked up, because nothing that a message names is read unasked.
 */
export function whyNotShown(src: string, { scheme, warning }: Pick<UrlVerdict, 'scheme' | 'warning'>): string {
  const address = src.trim();
  if (address === '') return 'not shown: it has no address';
  if (scheme === 'data') return `not shown: ${whyNoData(address)}`;
  const file = fileOf(address, scheme);
  if (file !== null)
    return `not shown: ${shortened(file)} is a file, and pictures are shown only from the message itself`;
  if (scheme === 'http' || scheme === 'https')
    return `not shown: ${warning ? lowerFirst(warning).replace(/\.$/, '') : 'its address is not a web address'}`;
  if (scheme === '') return 'not shown: it does not say whether it is a web address';
  return `not shown: “${escapeInvisible(scheme)}:” is not a picture address`;
}

function whyNoData(address: string): string {
  const head = address.slice(0, Math.min(address.indexOf(','), 200));
  const [, type = ''] = /^data:([^;,]*)/i.exec(address.slice(0, 200)) ?? [];
  if (!/^image\//i.test(type))
    return type === '' ? 'it does not say what it is' : `${escapeInvisible(type)} is not a picture`;
  if (!/^image\/(?:png|jpeg|gif|webp)$/i.test(type)) return `pictures of type ${escapeInvisible(type)} are not shown`;
  if (!/;base64$/i.test(head)) return 'its data is not base64';
  return address.length > MAX_DATA_URL_CHARS ? 'it is too large for a message' : 'its data is damaged';
}

/** The path that an address without a scheme, of a drive or of a file stands for; null for any other. */
function fileOf(address: string, scheme: string): string | null {
  if (scheme === '') return address.startsWith('//') ? null : decoded(address);
  if (scheme === 'file') return decoded(address.replace(/^file:(?:\/\/)?/i, ''));
  return scheme.length === 1 ? address : null;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function shortened(path: string): string {
  const shown = escapeInvisible(path);
  return shown.length > SHOWN_CHARS ? `…${shown.slice(-SHOWN_CHARS)}` : shown;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
