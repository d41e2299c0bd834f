import guidanceTemplate from '../../../prompts/guidance.md?raw';
import type { Guidance, SessionLog } from '../ports';
import { fillTemplate } from './fill-template';
import type { SessionContext } from './session-context';
import { isRecord } from '@shared/checks';
import type { EntryDraft } from '@shared/session/records/entry';
import { textOf } from '@shared/session/records/message-text';
import { GUIDANCE_TYPE } from '@shared/session/tree/turn-end';

/**
 * Notes of folders within the workspace (EX21): behind the first results of calls that had to do with a folder stands what its AGENTS.md
 * says, once for each path while the model sees it. A summary takes it out of the context; then it is said again with the next result
 * from there.
 */
export class NestedGuidance {
  /** Of entries that were looked at: the file that they tell of. */
  private readonly names = new Map<string, string>();

  constructor(
    private readonly log: Pick<SessionLog, 'loadBodies'>,
    private readonly context: Pick<SessionContext, 'items'>,
    private readonly find: (files: readonly string[]) => Promise<Guidance[]>,
  ) {}

  /** What is to be stored behind the results of calls about these paths. Never rejects: notes are no reason to end a run. */
  async behind(files: readonly string[]): Promise<EntryDraft[]> {
    if (files.length === 0) return [];
    try {
      const found = await this.find(files);
      if (found.length === 0) return [];
      const told = await this.told();
      return found.filter(({ name }) => !told.has(name)).map(draftOf);
    } catch {
      return [];
    }
  }

  private async told(): Promise<Set<string>> {
    const ids = this.context.items.flatMap(({ node, sourceId }) =>
      node.facts.customType === GUIDANCE_TYPE ? [sourceId] : [],
    );
    const unknown = ids.filter((id) => !this.names.has(id));
    for (const entry of await this.log.loadBodies(unknown)) {
      const { details } = entry as { details?: unknown };
      this.names.set(entry.id, isRecord(details) ? textOf(details.path) : '');
    }
    return new Set(ids.map((id) => this.names.get(id) ?? ''));
  }
}

function draftOf({ name, content, bytes }: Guidance): EntryDraft {
  return {
    type: 'custom_message',
    customType: GUIDANCE_TYPE,
    content: [{ type: 'text', text: fillTemplate(guidanceTemplate, { name, content }) }],
    display: false,
    details: { v: 1, path: name, bytes },
  };
}
