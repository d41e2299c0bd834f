import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { isRecord } from '@shared/checks';
import type { McpOAuth } from './messages';

/** What is kept of a sign-in between two starts: as text in the app's vault, and never in this process's own files. */
interface Saved {
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
  /** The port of the loopback address that the client was registered with. */
  port?: number;
}

/** What the SDK asks of us; what it learns goes to main, which keeps it in the vault (EX20). */
export class SignIn implements OAuthClientProvider {
  readonly expectedState = randomBytes(24).toString('base64url');
  private verifier = '';
  private readonly saved: Saved;

  /** @param open shows the person the address of the sign-in; without it nobody is asked, and a server that wants it is refused */
  constructor(
    private readonly oauth: McpOAuth,
    private readonly keep: (saved: string) => void,
    readonly redirectUrl: string,
    private readonly open?: (url: URL) => void,
  ) {
    this.saved = readSaved(oauth.saved);
  }

  get clientMetadata() {
    const { scope } = this.oauth;
    return {
      client_name: 'Espalier',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: this.oauth.clientSecret === undefined ? 'none' : 'client_secret_post',
      ...(scope === undefined ? {} : { scope }),
    };
  }

  state(): string {
    return this.expectedState;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    const { clientId, clientSecret } = this.oauth;
    if (clientId !== undefined)
      return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
    // Registered for another address of ours: who signs in anew registers anew.
    const isOther = this.open !== undefined && this.saved.port !== portOf(this.redirectUrl);
    return isOther ? undefined : this.saved.client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    Object.assign(this.saved, { client, port: portOf(this.redirectUrl) });
    this.tell();
  }

  tokens(): OAuthTokens | undefined {
    return this.saved.tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.saved.tokens = tokens;
    this.tell();
  }

  redirectToAuthorization(url: URL): void {
    this.open?.(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'client') delete this.saved.client;
    if (scope === 'all' || scope === 'tokens') delete this.saved.tokens;
    this.tell();
  }

  private tell(): void {
    this.keep(JSON.stringify(this.saved));
  }
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}

function readSaved(text: string | null): Saved {
  try {
    const saved: unknown = JSON.parse(text ?? '{}');
    return isRecord(saved) ? saved : {};
  } catch {
    return {};
  }
}

/** Whether there is anything to try a connection with before the person is asked. */
export function hasTokens({ saved }: McpOAuth): boolean {
  return readSaved(saved).tokens !== undefined;
}

/** An address that never listens: for what is refreshed without the person. */
export const NO_CALLBACK = 'http://127.0.0.1:1/callback';

interface SignInOptions {
  url: string;
  oauth: McpOAuth;
  keep: (saved: string) => void;
  /** Shows the person where to sign in. */
  open: (url: string) => void;
  signal: AbortSignal;
}

/**
 * Has the person sign in with their own browser: an address of this computer is listened at for as long as that takes, and what comes
 * there counts only with the state that was sent (RFC 8252, PKCE by the SDK).
 */
export async function signIn({ url, oauth, keep, open, signal }: SignInOptions): Promise<void> {
  const server = createServer();
  const port = await listen(
    server,
    oauth.callbackPort ?? readSaved(oauth.saved).port ?? 0,
    oauth.callbackPort !== undefined,
  );
  try {
    const provider = new SignIn(oauth, keep, `http://127.0.0.1:${port}/callback`, (address) => open(String(address)));
    // Before the browser is opened: it may be quick.
    const code = codeFrom(server, provider.expectedState, signal);
    code.catch(() => undefined);
    if ((await auth(provider, { serverUrl: url })) === 'AUTHORIZED') return;
    await auth(provider, { serverUrl: url, authorizationCode: await code });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function listen(server: Server, port: number, isFixed: boolean): Promise<number> {
  const tryPort = (wanted: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  try {
    return await tryPort(port);
  } catch {
    if (isFixed) throw new Error(`The port ${port} that its entry names is in use.`);
    return tryPort(0);
  }
}

const PAGE = (words: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Espalier</title><body style="font: 16px system-ui; margin: 4em"><p>${words}</p>`;

function codeFrom(server: Server, state: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The sign-in was not finished.')), { once: true });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { pathname, searchParams } = addressOf(request.url ?? '/');
      const answer = (status: number, words: string): void => {
        response.writeHead(status, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        });
        response.end(PAGE(words));
      };
      if (pathname !== '/callback' || !isSame(searchParams.get('state') ?? '', state))
        return answer(404, 'This is not the sign-in that Espalier waits for.');
      const code = searchParams.get('code');
      if (code === null) {
        answer(200, 'You are not signed in. You can close this page.');
        const why = (searchParams.get('error_description') ?? searchParams.get('error') ?? '').slice(0, 300);
        return reject(new Error(`The sign-in was refused. ${why}`.trim()));
      }
      answer(200, 'You are signed in. You can close this page and go back to Espalier.');
      resolve(code);
    });
  });
}

/** Whoever finds the port asks for what they like: `//` is no address. */
function addressOf(asked: string): URL {
  try {
    return new URL(asked, 'http://127.0.0.1');
  } catch {
    return new URL('http://127.0.0.1/');
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
