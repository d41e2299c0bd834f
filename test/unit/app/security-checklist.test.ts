import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { REQUESTS } from '@shared/ipc/contract';

/**
 * Electron's security checklist (QC1): the items that can be read off the sources. What needs a window is in
 * test/e2e/security.spec.ts; item numbers are the checklist's.
 */
const root = join(import.meta.dirname, '../../..');

function sources(folder: string): { path: string; text: string }[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(join(root, path)).isDirectory()) return sources(path);
    return /\.(ts|tsx|js|html)$/.test(name) ? [{ path, text: readFileSync(join(root, path), 'utf8') }] : [];
  });
}
const all = sources('src');
const main = all.filter(({ path }) => path.startsWith(join('src', 'main')));
const withText = (pattern: RegExp, from = all): string[] =>
  from.filter(({ text }) => pattern.test(stripComments(text))).map(({ path }) => path.split('\\').join('/'));

function stripComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');
}

/** Every object literal in main that sets web preferences. */
function webPreferences(): Map<string, string>[] {
  const found: Map<string, string>[] = [];
  for (const { path, text } of main) {
    const visit = (node: ts.Node): void => {
      if (ts.isObjectLiteralExpression(node)) {
        const entries = node.properties
          .filter(ts.isPropertyAssignment)
          .map((property) => [property.name.getText(file), property.initializer.getText(file)] as const);
        if (entries.some(([name]) => ['sandbox', 'contextIsolation', 'nodeIntegration', 'webSecurity'].includes(name)))
          found.push(new Map(entries));
      }
      ts.forEachChild(node, visit);
    };
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    visit(file);
  }
  return found;
}

describe('QC1, QS1: the security checklist, read off the sources', () => {
  const csp = readFileSync(join(root, 'resources/csp.txt'), 'utf8');
  const preferences = webPreferences();

  it('1: the window loads no remote content: no http address in renderer or preload', () => {
    expect(
      withText(
        /['"`]https?:\/\/(?!localhost|example\.com)/,
        all
          .filter(({ path }) => /src.(renderer|preload)/.test(path) && !path.includes('mermaid-frame'))
          .filter(({ path }) => !/settings|placeholder/.test(path)),
      ),
    ).toEqual([]);
    expect(withText(/blockForeignRequests\(/, main).length).toBeGreaterThan(1);
  });
  it('2, 3, 4, 6, 8, 9, 11: one set of web preferences, all safe', () => {
    expect(preferences).toHaveLength(1);
    expect(Object.fromEntries(preferences[0]!)).toMatchObject({
      nodeIntegration: 'false',
      nodeIntegrationInWorker: 'false',
      nodeIntegrationInSubFrames: 'false',
      contextIsolation: 'true',
      sandbox: 'true',
      webSecurity: 'true',
      allowRunningInsecureContent: 'false',
      experimentalFeatures: 'false',
      webviewTag: 'false',
    });
    const windows = ['src/main/app/window.ts', 'src/main/consent/consent-window.ts'];
    expect(withText(/new BrowserWindow\(/, main)).toEqual(windows);
    for (const file of windows) expect(readFileSync(join(root, file), 'utf8')).toMatch(/windowPreferences\(/);
    expect(withText(/app\.enableSandbox\(\)/, main)).toEqual(['src/main/app/start.ts']);
  });
  it('5: both permission handlers deny all but the page putting text on the clipboard', () => {
    const text = stripComments(readFileSync(join(root, 'src/main/app/security.ts'), 'utf8'));
    expect(text).toMatch(/setPermissionRequestHandler\([^;]*done\(isCopy\(permission, /);
    expect(text).toMatch(/setPermissionCheckHandler\([^;]*=> isCopy\(permission, origin\)\)/);
    expect(text).toMatch(/permission === 'clipboard-sanitized-write' && [^;]*=== APP_ORIGIN;/);
    expect(text).not.toMatch(/done\(true\)|=> true/);
  });
  it('7: the policy starts from nothing, allows no inline or remote code, and requires Trusted Types', () => {
    expect(csp).toMatch(/^default-src 'none';/);
    expect(csp).not.toMatch(/unsafe|\*|https?:/);
    for (const directive of [
      "script-src 'self'",
      "connect-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "object-src 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(csp).toContain(directive);
    }
  });
  it('7: the policy of main’s own questions allows styles and fonts alone, and their page has no script', () => {
    const consent = readFileSync(join(root, 'resources/csp-consent.txt'), 'utf8');
    expect(consent).toMatch(/^default-src 'none'; style-src 'self'; font-src 'self'; /);
    expect(consent).not.toMatch(/script-src|unsafe|\*|https?:/);
    expect(readFileSync(join(root, 'src/renderer/consent.html'), 'utf8')).not.toContain('<script');
  });
  it('10: two process-level switches: no name is looked up; the database backend and the process of diagrams', () => {
    expect(withText(/enableBlinkFeatures/)).toEqual([]);
    expect(
      main.flatMap(({ text }) =>
        [...stripComments(text).matchAll(/appendSwitch\(([^)]*)\)/g)].map((match) => match[1]),
      ),
    ).toEqual([
      "'host-resolver-rules', 'MAP * ~NOTFOUND'",
      "'enable-features', 'IdbSqliteBackingStore,IsolateSandboxedIframes'",
    ]);
  });
  it('12, 13, 14: no webview, no navigation, no new window', () => {
    expect(withText(/<webview|allowpopups/)).toEqual([]);
    const text = readFileSync(join(root, 'src/main/app/security.ts'), 'utf8');
    for (const event of ['will-attach-webview', 'will-navigate', 'will-redirect', 'will-frame-navigate'])
      expect(text).toContain(`'${event}'`);
    expect(text).toMatch(/return \{ action: 'deny' \}/);
  });
  it('15: one caller of openExternal', () => {
    expect(withText(/openExternal\(/, main)).toEqual(['src/main/ipc/external-links.ts']);
  });
  it('16: Electron is a current major', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    expect(Number(/\d+/.exec(devDependencies.electron ?? '')?.[0])).toBeGreaterThanOrEqual(45);
  });
  it('17: every channel is registered behind the sender check', () => {
    expect(withText(/ipcMain\.(on|once|handleOnce)\(/, main)).toEqual([]);
    // The gate takes every channel and hands it to what is registered with `serve`: these two.
    expect(withText(/ipcMain\.handle\(/, main)).toEqual(['src/main/app/start.ts']);
    // A question's channels exist on its own window's contents alone.
    expect(withText(/\.ipc\.(on|once|handle|handleOnce)\(/, main)).toEqual(['src/main/consent/consent-window.ts']);
    expect(withText(/options\.handle\(CHANNELS\./, main).sort()).toEqual([
      'src/main/ipc/bulk.ts',
      'src/main/ipc/server.ts',
    ]);
    for (const file of ['src/main/ipc/server.ts', 'src/main/ipc/bulk-chunks.ts'])
      expect(readFileSync(join(root, file), 'utf8')).toContain('isTrustedSender(');
  });
  it('18: pages come from app://, never from file://', () => {
    expect(withText(/loadFile\(|file:\/\//, main)).toEqual([]);
    expect(withText(/loadURL\(/, main)).toEqual(['src/main/app/window.ts', 'src/main/consent/consent-window.ts']);
  });
  it('19: the fuses of the package are set', () => {
    const builder = readFileSync(join(root, 'electron-builder.yml'), 'utf8');
    expect(builder).toMatch(/runAsNode: false/);
    expect(builder).toMatch(/enableCookieEncryption: true/);
    expect(builder).toMatch(/enableNodeOptionsEnvironmentVariable: false/);
    expect(builder).toMatch(/enableNodeCliInspectArguments: false/);
    expect(builder).toMatch(/enableEmbeddedAsarIntegrityValidation: true/);
    expect(builder).toMatch(/onlyLoadAppFromAsar: true/);
    expect(builder).toMatch(/grantFileProtocolExtraPrivileges: false/);
  });
  it('20: the page gets four functions; requests are named by the contract', () => {
    const preload = readFileSync(join(root, 'src/preload/index.ts'), 'utf8');
    expect(withText(/exposeInMainWorld\(/)).toEqual(['src/preload/index.ts']);
    // Whatever the page says becomes the content of a message, never its channel; main takes the names of the contract alone.
    const channels = [...preload.matchAll(/ipcRenderer\s*\.\w+\(([^,)]*)/g)].map(([, channel = '']) => channel);
    expect(channels.length).toBeGreaterThan(5);
    expect(channels.filter((channel) => !/^CHANNELS\.\w+$/.test(channel))).toEqual([]);
    expect(readFileSync(join(root, 'src/main/ipc/server.ts'), 'utf8')).toContain('Object.hasOwn(REQUESTS, name)');
    expect(Object.keys(REQUESTS).length).toBeGreaterThan(30);
    expect(withText(/window\.espalier/)).toEqual(['src/renderer/bridge.ts']);
    expect(
      withText(
        /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(/,
        all.filter(({ path }) => path.includes('renderer') && !path.includes('mermaid-frame')),
      ),
    ).toEqual([]);
  });
});
