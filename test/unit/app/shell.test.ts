import { describe, expect, it } from 'vitest';
import { resolveAssetPath } from '../../../src/main/pages';
import { mayReload, placeWindow } from '../../../src/main/app/window-rules';
import { redact } from '../../../src/main/app/log-file';
const ROOT = '/srv/app/renderer';

describe('app:// addresses', () => {
  it.each([
    ['app://app/', `${ROOT}/index.html`],
    ['app://app/index.html', `${ROOT}/index.html`],
    ['app://app/assets/a-b_c.js?x=1#y', `${ROOT}/assets/a-b_c.js`],
  ])('%s is served', (address, file) => expect(resolveAssetPath(address, ROOT)).toBe(file));

  const ups = [
    '..',
    '%2e%2e',
    '%2E%2E',
    '.%2e',
    '%2e.',
    '..%2f',
    '%2e%2e%2f',
    '..%5c',
    '..\\',
    '%252e%252e',
    '....//',
    '..;',
  ];
  const targets = ['etc/passwd', '../etc/passwd', 'secrets.json', '..%2f..%2fetc%2fpasswd'];
  const escapes = ups.flatMap((up) => targets.map((target) => `app://app/assets/${up}/${up}/${up}/${target}`));
  const others = [
    'app://evil/index.html',
    'app://app@evil/index.html',
    'app://app.evil/index.html',
    'file:///etc/passwd',
    'http://app/index.html',
    'app://app/%00',
    'app://app/a%00.js',
    'app://app/a\\b.js',
    'app://app/%5c%5cserver%5cshare',
    'app://app/%',
    'app://app/%zz',
    'not an address',
    '',
  ];
  it.each([...escapes, ...others])('%s never leaves the folder', (address) => {
    const file = resolveAssetPath(address, ROOT);
    if (file !== null) expect(file.startsWith(`${ROOT}/`)).toBe(true);
    if (others.includes(address)) expect(file).toBeNull();
  });
});

describe('window place', () => {
  const display = { x: 0, y: 0, width: 1280, height: 800 };
  it('is centred at first and for nonsense', () => {
    for (const stored of [undefined, null, 'x', { x: 'a' }, { x: Number.NaN, y: 0, width: 1, height: 1 }]) {
      expect(placeWindow(stored, [{ ...display, width: 1920, height: 1000 }])).toMatchObject({
        x: 320,
        y: 100,
        width: 1280,
        height: 800,
      });
    }
  });
  it('comes back onto a display that exists', () => {
    expect(placeWindow({ x: 5000, y: 5000, width: 1000, height: 700 }, [display])).toMatchObject({ x: 280, y: 100 });
    expect(placeWindow({ x: 10, y: 10, width: 4000, height: 3000 }, [display])).toMatchObject({
      x: 0,
      y: 0,
      width: 1280,
      height: 800,
    });
  });
});

describe('renderer crashes', () => {
  it('reloads three times in a minute, not a fourth', () => {
    const now = 1_000_000;
    expect(mayReload([], now)).toBe(true);
    expect(mayReload([now - 1, now - 2], now)).toBe(true);
    expect(mayReload([now - 1, now - 2, now - 3], now)).toBe(false);
    expect(mayReload([now - 61_000, now - 2, now - 3], now)).toBe(true);
  });
});

describe('log redaction', () => {
  it.each([
    'Authorization: Bearer abcdef0123456789',
    'api_key=abcdef0123456789',
    '"apiKey":"abcdef0123456789"',
    'failed with sk-abcdef0123456789abcdef0123456789',
  ])('%s loses its secret', (line) => expect(redact(line)).not.toContain('abcdef0123456789'));
  it('cuts out keys it knows wherever they stand', () => {
    expect(redact('x plain-canary-value y', new Set(['plain-canary-value']))).toBe('x [redacted] y');
  });
});
