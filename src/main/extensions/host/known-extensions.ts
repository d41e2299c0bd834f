import { createHash } from 'node:crypto';
import type { ExtensionFault, ExtensionState, ExtensionView } from '@shared/extensions/view';
import type { FoundExtension } from '../../project/extension-files';
import type { WireExtension } from '../process/wire';
import type { ExtensionBook } from './extension-book';
import { type Fault, FaultLog } from './fault-log';
import type { SessionExtension } from './session-extension';

/** The extensions of the person, or of a trusted workspace. */
export interface FoundScope {
  /** Null: the person's own. */
  workspace: string | null;
  extensions: readonly FoundExtension[];
}

interface Known {
  extension: FoundExtension;
  workspace: string | null;
}

/** Members that are listed of what an extension has used. */
const MOST_USED = 100;

/** The extensions that were found, and how each of them is. */
export class KnownExtensions {
  private readonly known = new Map<string, Known>();
  private readonly resting = new Set<string>();
  private readonly loading = new Set<string>();
  private readonly used = new Map<string, Set<string>>();
  private readonly faults: FaultLog;

  constructor(
    private readonly book: ExtensionBook,
    now: () => number,
  ) {
    this.faults = new FaultLog(now);
  }

  /** Takes what was found, in place of what these scopes had. */
  take(found: readonly FoundScope[]): void {
    for (const { workspace, extensions } of found) {
      for (const id of this.ids(workspace)) this.known.delete(id);
      for (const extension of extensions) this.known.set(idOf(extension), { extension, workspace });
    }
  }

  /** Those of some workspaces are there no more. */
  drop(isGone: (workspace: string) => boolean): void {
    for (const [id, { workspace }] of [...this.known])
      if (workspace !== null && isGone(workspace)) this.known.delete(id);
  }

  /** Of one scope, or all. */
  ids(workspace?: string | null): string[] {
    const isMeant = (known: Known): boolean => workspace === undefined || known.workspace === workspace;
    return [...this.known].flatMap(([id, known]) => (isMeant(known) ? [id] : []));
  }

  has(id: string): boolean {
    return this.known.has(id);
  }

  /** The one whose file that is. */
  idAt(path: string): string | undefined {
    return [...this.known].find(([, { extension }]) => extension.path === path)?.[0];
  }

  /** @throws RangeError if it is no longer there */
  nameOf(id: string): string {
    const known = this.known.get(id);
    if (!known) throw new RangeError('This extension is no longer there. Nothing was changed.');
    return known.extension.name;
  }

  /** What its process is to load; null: it is off, or rests. */
  wireOf({ name, path, root }: FoundExtension, workspace: string | null): WireExtension | null {
    const id = idOf({ path });
    if (!this.book.isOn(id) || this.resting.has(id)) return null;
    const mode = this.book.modeOf(id);
    return { id, name, path, root, mode, scope: workspace === null ? 'user' : 'project' };
  }

  setLoading(extensions: readonly WireExtension[], isLoading: boolean): void {
    for (const { id } of extensions) {
      if (isLoading) this.loading.add(id);
      else this.loading.delete(id);
    }
  }

  noteUse(id: string, what: string): void {
    const known = this.used.get(id) ?? new Set();
    if (known.size < MOST_USED) this.used.set(id, known.add(what));
  }

  /** False: that is known of it. */
  noteFault(id: string, fault: Fault): boolean {
    return this.faults.note(id, fault);
  }

  /** One of a scope, or all of them (null), is not started again until it is forgotten what it did. */
  rests(workspace: string | null, id: string | null): void {
    for (const each of id === null ? this.ids(workspace) : [id]) this.resting.add(each);
  }

  /** Its faults are of the past: it is to begin anew. */
  forget(id: string): void {
    this.resting.delete(id);
    this.faults.forget(id);
  }

  /** For the window. `live`: what runs of it, in all sessions. @throws RangeError if it is no longer there */
  viewOf(id: string, live: readonly SessionExtension[]): ExtensionView {
    const name = this.nameOf(id);
    const { extension, workspace } = this.known.get(id) as Known;
    const { root, origin } = extension;
    const errors = this.faults.of(id);
    const state = this.stateOf(id, live.length > 0, errors);
    return {
      ...{ id, name, path: root, workspace, origin, enabled: this.book.isOn(id), state, errors },
      ...(state === 'failed' || state === 'resting' ? { problem: problemOf(state, errors) } : {}),
      tools: [...new Set(live.flatMap(({ tools }) => tools.map((tool) => tool.name)))],
      commands: [...new Set(live.flatMap(({ commands }) => commands.map((command) => command.name)))],
      used: [...(this.used.get(id) ?? [])].sort(),
      mode: this.book.modeOf(id),
    };
  }

  private stateOf(id: string, isLive: boolean, errors: readonly ExtensionFault[]): ExtensionState {
    if (!this.book.isOn(id)) return 'off';
    if (this.resting.has(id)) return 'resting';
    if (this.loading.has(id)) return 'starting';
    if (errors.some(({ event }) => event === 'load')) return 'failed';
    return isLive ? 'running' : 'starting';
  }
}

/** The same for as long as its file stays where it is. */
function idOf({ path }: Pick<FoundExtension, 'path'>): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

function problemOf(state: 'failed' | 'resting', errors: readonly ExtensionFault[]): string {
  const [last] = errors;
  if (state === 'resting')
    return `Its process ended too often. Reload it in Settings to start it again. ${last?.error ?? ''}`.trim();
  return last?.error ?? 'It could not be loaded.';
}
