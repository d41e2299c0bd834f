import { hashBytes } from '../tools/gated-tool';
import type { Credentials } from '../models/credentials';

/** What is kept of sign-ins at MCP servers: with the keys, each for the one address that it was given for (docs/specs/safety.md C4). */
export class McpVault {
  constructor(
    private readonly credentials: Pick<Credentials, 'get' | 'set' | 'remove' | 'source'>,
    private readonly canEncrypt: () => boolean,
  ) {}

  get(key: string, url: string): string | null {
    return this.credentials.get(nameOf(key), new URL(url).origin) ?? null;
  }

  has(key: string): boolean {
    return this.credentials.source(nameOf(key)) !== 'none';
  }

  /** Encrypted where the system has a keyring, else for this run alone. */
  set(key: string, url: string, saved: string): Promise<void> {
    return this.credentials.set(nameOf(key), saved, this.canEncrypt() ? 'encrypted' : 'session', new URL(url).origin);
  }

  remove(key: string): Promise<void> {
    return this.credentials.remove(nameOf(key));
  }
}

function nameOf(key: string): string {
  return `mcp-${hashBytes(key).slice(0, 32)}`;
}
