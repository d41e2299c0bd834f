import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isRecord } from '@shared/checks';
import type { ExtensionBus } from './bus';

/** What extensions of a session bring besides: files and folders, absolute. */
export interface Resources {
  skills: readonly string[];
  prompts: readonly string[];
}

const NONE: Resources = { skills: [], prompts: [] };
const MAX_PATHS = 50;
const MAX_PATH_CHARS = 4_096;

/** What `resources_discover` came to, session by session (EX22). Create one per app. */
export class ResourceBook {
  private readonly known = new Map<string, Resources>();

  /** @param onChange the skills and templates of a session are others now */
  constructor(
    private readonly bus: ExtensionBus,
    private readonly onChange: (sessionId: string) => void = () => undefined,
  ) {}

  /** Asks the extensions of a session that has begun. Their answers are added up. Never rejects. */
  async discover(sessionId: string, cwd: string, reason: 'startup' | 'reload'): Promise<void> {
    const event = 'resources_discover';
    const before = this.of(sessionId);
    const skills: string[] = [];
    const prompts: string[] = [];
    const take = (list: unknown, into: string[], said: (problem: string) => void): void => {
      if (list === undefined) return;
      if (!Array.isArray(list)) return said('The paths are not a list.');
      for (const path of list) {
        const isPath = typeof path === 'string' && path !== '' && path.length <= MAX_PATH_CHARS && !path.includes('\0');
        if (!isPath || into.length >= MAX_PATHS) return said(`Only ${MAX_PATHS} paths, as text, are used.`);
        into.push(path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(cwd, path));
      }
    };
    for await (const { extensionPath, result } of this.bus.each(event, () => ({ cwd, reason }), { sessionId })) {
      if (!isRecord(result)) continue;
      const said = (problem: string): void => this.bus.report(extensionPath, event, problem);
      take(result.skillPaths, skills, said);
      take(result.promptPaths, prompts, said);
      if (Array.isArray(result.themePaths) && result.themePaths.length > 0)
        said('Themes of extensions are not used in Espalier.');
    }
    if (skills.length + prompts.length > 0) this.known.set(sessionId, { skills, prompts });
    else this.known.delete(sessionId);
    if (JSON.stringify(before) !== JSON.stringify(this.of(sessionId))) this.onChange(sessionId);
  }

  of(sessionId: string): Resources {
    return this.known.get(sessionId) ?? NONE;
  }

  forget(sessionId: string): void {
    this.known.delete(sessionId);
  }
}
