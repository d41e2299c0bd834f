import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyUrl, escapeInvisible } from '@shared/policy/url';
import { anyText } from '../../support/any-text';
import { ACCEPTED, REFUSED } from '../../support/url-corpus';

describe('QS3, RD9: every address is classified as the corpus says', () => {
  it('the corpus has at least 300 addresses, none twice', () => {
    const all = [...ACCEPTED.map(([url]) => url), ...REFUSED];
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(new Set(all).size).toBe(all.length);
  });

  it('accepts what is fine, with the real host', () => {
    const wrong = ACCEPTED.filter(([url, host]) => {
      const verdict = classifyUrl(url);
      return !verdict.ok || verdict.host !== host;
    }).map(([url, host]) => ({ url, host, got: classifyUrl(url) }));
    expect(wrong).toEqual([]);
  });

  it('refuses everything else, with a reason and without an address to open', () => {
    const wrong = REFUSED.filter((url) => {
      const verdict = classifyUrl(url);
      return verdict.ok || verdict.href !== '' || verdict.host !== '' || !verdict.warning;
    });
    expect(wrong).toEqual([]);
  });
});

describe('QS3: what is shown', () => {
  it.each([
    ['https://аpple.com/', 'xn--pple-43d.com', /letters/],
    ['https://google.com@evil.example/', 'evil.example', /user name/],
    ['http://2130706433/', '127.0.0.1', /this computer/],
    ['http://[::ffff:7f00:1]/', '[::ffff:7f00:1]', /this computer/],
    ['https://8.8.8.8/', '8.8.8.8', /IP address/],
    ['https://example.com/a\u202egnp.exe', 'example.com', /invisible/],
  ])('%s warns', (url, host, warning) => {
    const verdict = classifyUrl(url);
    expect(verdict).toMatchObject({ ok: true, host });
    expect(verdict.warning).toMatch(warning);
  });

  it('a plain address has no warning', () => {
    expect(classifyUrl('https://example.com/a?b=c#d')).toEqual({
      ok: true,
      scheme: 'https',
      host: 'example.com',
      display: 'https://example.com/a?b=c#d',
      href: 'https://example.com/a?b=c#d',
      warning: null,
    });
  });

  it('invisible characters become escapes', () => {
    expect(escapeInvisible('a\u202eb\u200bc\u{e0041}')).toBe('a\\u{202e}b\\u{200b}c\\u{e0041}');
  });

  it('for any string: no throw, nothing invisible shown, only three schemes pass', () => {
    const near = fc.tuple(fc.constantFrom('http://', 'https://', 'mailto:', 'javascript:', '//', ''), anyText());
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          near.map(([a, b]) => a + b),
        ),
        (text) => {
          const verdict = classifyUrl(text);
          expect(escapeInvisible(verdict.display)).toBe(verdict.display);
          if (verdict.ok) expect(new URL(verdict.href).protocol).toMatch(/^(https?|mailto):$/);
          else expect(verdict.href).toBe('');
        },
      ),
      { numRuns: 2000 },
    );
  });
});
