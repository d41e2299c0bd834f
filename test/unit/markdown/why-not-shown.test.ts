import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyUrl } from '@shared/policy/url';
import { MAX_DATA_URL_CHARS, whyNotShown } from '../../../src/renderer/features/markdown/picture';

/** A picture that is not drawn says why: docs/specs/rendering.md RD11. */

const why = (src: string): string => whyNotShown(src, classifyUrl(src));

describe('RD11: a picture that is not drawn', () => {
  it.each([
    ['', 'it has no address'],
    ['chart.png', 'chart.png is a file, and pictures are shown only from the message itself'],
    ['./out/my%20chart.png', './out/my chart.png is a file'],
    ['../elsewhere/a.png', '../elsewhere/a.png is a file'],
    ['/etc/a.png', '/etc/a.png is a file'],
    ['file:///home/me/a.png', '/home/me/a.png is a file'],
    ['C:\\charts\\a.png', 'C:\\charts\\a.png is a file'],
    ['%zz.png', '%zz.png is a file'],
    [`${'x'.repeat(200)}/end.png`, `…${'x'.repeat(72)}/end.png is a file`],
    ['a\u202egnp.exe', 'a\\u{202e}gnp.exe is a file'],
    ['//host/a.png', 'it does not say whether it is a web address'],
    ['data:image/svg+xml;base64,PHN2Zz4=', 'pictures of type image/svg+xml are not shown'],
    ['data:text/html;base64,PHN2Zz4=', 'text/html is not a picture'],
    ['data:,x', 'it does not say what it is'],
    ['data:image/png,abc', 'its data is not base64'],
    ['data:image/png;base64,a b!', 'its data is damaged'],
    [`data:image/png;base64,${'A'.repeat(MAX_DATA_URL_CHARS)}`, 'it is too large for a message'],
    ['sandbox:/mnt/data/a.png', '“sandbox:” is not a picture address'],
    ['attachment:a.png', '“attachment:” is not a picture address'],
    ['https:///a.png', 'it is not a full web address'],
  ])('%.40s', (src, words) => expect(why(src)).toContain(`not shown: ${words}`));

  it('says it shortly, for any address', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (src) => why(src).length < 1_000));
  });
});
