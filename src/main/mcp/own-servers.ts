import { readRegular } from '../own-files/read-regular';
import { saveOwnFile } from '../own-files/write-own';
import { isRecord } from '@shared/checks';
import { fileOf, type McpFile } from './config/config-files';
import type { McpOrigin } from './config/definition';

/** `mcp.json` of the data folder, in the shape of other clients: Settings writes it, and the person may. What it has besides stays. */
export class OwnServers {
  private writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly file: string,
    /** As it is shown. */
    private readonly shown: string,
  ) {}

  /** Read anew each time, because the person may have changed it. Never rejects. */
  async read(): Promise<McpFile> {
    const origin: McpOrigin = { kind: 'espalier', file: this.shown };
    try {
      const text = await readRegular(this.file);
      return text === null ? { origin, servers: [], problems: [] } : fileOf(origin, text);
    } catch (error) {
      return { origin, servers: [], problems: [`${this.shown} can’t be read: ${(error as Error).message}`] };
    }
  }

  /** Puts an entry in, or with undefined takes it out. @throws RangeError for the person, StorageError */
  set(name: string, entry: Record<string, unknown> | undefined): Promise<void> {
    const write = this.writing.then(async () => {
      const text = (await readRegular(this.file)) ?? '{}';
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        json = null;
      }
      if (!isRecord(json) || (json.mcpServers !== undefined && !isRecord(json.mcpServers)))
        throw new RangeError(
          `${this.shown} is not valid, so it was not changed. Repair it, or move it away, then try again.`,
        );
      const { [name]: _, ...others } = (json.mcpServers ?? {}) as Record<string, unknown>;
      const mcpServers = entry === undefined ? others : { ...others, [name]: entry };
      await saveOwnFile(this.file, `${JSON.stringify({ ...json, mcpServers }, null, 2)}\n`);
    });
    this.writing = write.catch(() => undefined);
    return write;
  }
}
