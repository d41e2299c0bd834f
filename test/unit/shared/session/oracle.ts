import type { SessionEntry } from '@shared/session/records/entry';

/**
 * SF20, TR1 to TR5 and CX1 once more, in the plainest words and as slow as they come: what the fuzz holds the tree and the
 * context against. Shares no code with them.
 */
type Any = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

const SIDE = ['leaf', 'pin', 'archive', 'fact', 'request', 'rebase'].map((name) => `espalier.${name}`);
const SENT =
  'user assistant toolResult bashExecution custom hookMessage branchSummary compactionSummary developer pythonExecution fileMention'.split(
    ' ',
  );

const isSide = (e: Any): boolean =>
  e.type === 'label' || e.type === 'session_info' || (e.type === 'custom' && SIDE.includes(e.customType));

function isVisible(e: Any): boolean {
  if (e.type === 'custom_message') return true;
  if (e.type === 'branch_summary') return String(e.summary ?? '').trim() !== '';
  return e.type === 'message' && SENT.includes(e.message?.role) && e.message.excludeFromContext !== true;
}

/** One line of an expected context. */
export interface Expected {
  sourceId: string;
  kind: string;
  pinned?: string[];
  edit?: { replaced?: unknown; prune?: { mode: string; tokens: number } };
}

export class Oracle {
  readonly entries: Any[] = [];
  private readonly byId = new Map<string, Any>();
  private readonly parents = new Map<string, string | null>();

  /** Entries in file order; of duplicate ids the first counts. */
  constructor(entries: readonly SessionEntry[]) {
    for (const entry of entries as readonly Any[]) {
      if (this.byId.has(entry.id)) continue;
      this.byId.set(entry.id, entry);
      this.entries.push(entry);
    }
    this.link();
  }

  /** A parent that stands earlier is linked at once, later ones in file order of the children, none that closes a cycle. */
  private link(): void {
    const place = new Map(this.entries.map((entry, index) => [entry.id as string, index]));
    const late: Any[] = [];
    for (const [index, entry] of this.entries.entries()) {
      const at = place.get(entry.parentId);
      this.parents.set(entry.id, at !== undefined && at < index ? entry.parentId : null);
      if (at !== undefined && at > index) late.push(entry);
    }
    for (const entry of late) {
      let above: string | null = entry.parentId;
      while (above !== null && above !== entry.id) above = this.parents.get(above) ?? null;
      if (above === null) this.parents.set(entry.id, entry.parentId);
    }
  }

  parentOf(id: string): string | null {
    return this.parents.get(id) ?? null;
  }

  path(id: string | null): Any[] {
    const path: Any[] = [];
    for (let at = id; at !== null && this.byId.has(at); at = this.parentOf(at)) path.unshift(this.byId.get(at)!);
    return path;
  }

  children(id: string | null): string[] {
    const kids = this.entries.filter((entry) => this.parentOf(entry.id) === id);
    const times = new Map(
      kids.map((kid) => [kid, typeof kid.timestamp === 'string' ? Date.parse(kid.timestamp) : NaN]),
    );
    if ([...times.values()].every((time) => !Number.isNaN(time))) kids.sort((a, b) => times.get(a)! - times.get(b)!);
    return kids.map((kid) => kid.id);
  }

  commonAncestor(a: string, b: string): string | null {
    const other = new Set(this.path(b).map((entry) => entry.id));
    return this.path(a).findLast((entry) => other.has(entry.id))?.id ?? null;
  }

  /** SF20. */
  leaf(): string | null {
    let at = this.entries.at(-1);
    if (!at) return null;
    const rebase = this.entries.findLast((entry) => entry.customType === 'espalier.rebase');
    if (rebase) {
      const batch: string[] = rebase.data.copies.map(([, id]: [string, string]) => id);
      const after = this.entries.slice(this.entries.indexOf(rebase) + 1);
      const ofBatch = (e: Any): boolean =>
        batch.includes(e.id) || (isSide(e) && batch.includes(e.data?.targetId ?? e.targetId));
      if (!batch.every((id) => this.byId.has(id)) && after.every(ofBatch)) at = rebase;
    }
    while (at && isSide(at)) {
      if (at.parentId === null) return null;
      const parent = this.parentOf(at.id);
      if (parent === null) return this.entries.findLast((entry) => !isSide(entry))?.id ?? null;
      at = this.byId.get(parent);
    }
    return at ? at.id : null;
  }

  pins(): Set<string> {
    const pins = new Set<string>();
    for (const { customType, data } of this.entries) {
      if (customType === 'espalier.pin' && data.pinned) pins.add(data.targetId);
      else if (customType === 'espalier.pin') pins.delete(data.targetId);
    }
    return pins;
  }

  labels(): Map<string, string> {
    const labels = new Map<string, string>();
    for (const { type, targetId, label } of this.entries) {
      if (type !== 'label') continue;
      if ((label ?? '').trim() === '') labels.delete(targetId);
      else labels.set(targetId, label.trim());
    }
    return labels;
  }

  state(leaf: string | null): { thinkingLevel: string; model: string | null } {
    let thinkingLevel = 'off';
    let model: string | null = null;
    for (const e of this.path(leaf)) {
      if (e.type === 'thinking_level_change') thinkingLevel = e.thinkingLevel;
      if (e.type === 'model_change') model = `${e.provider}/${e.modelId}`;
      const m = e.type === 'message' ? e.message : undefined;
      if (m?.role === 'assistant' && m.stopReason !== 'error' && m.stopReason !== 'aborted')
        model = `${m.provider ?? ''}/${m.model ?? ''}`;
    }
    return { thinkingLevel, model };
  }

  /** CX1: what a leaf shows, in order. */
  context(leaf: string | null): Expected[] {
    const path = this.path(leaf);
    const s = path.findLastIndex((e) => e.type === 'reset_boundary') + 1;
    const c = path.findLastIndex((e, i) => i >= s && e.type === 'compaction');
    const edits = this.edits(path);
    const pins = this.pins();
    const onPath = new Set(path.map((e) => e.id));
    const seen = new Set<string>();
    const gone = (id: string): boolean => edits.get(id)?.omitted === true || edits.get(id)?.replaced === null;
    const isPinned = (e: Any): boolean => pins.has(e.id) && isVisible(e) && !gone(e.id);
    const region = (summary: Any): string[] => {
      const chain = this.path(summary.fromId).filter((e) => !onPath.has(e.id) && !seen.has(e.id));
      chain.forEach((e) => seen.add(e.id));
      return chain.flatMap((e) => [...(isPinned(e) ? [e.id] : []), ...(isSummary(e) ? region(e) : [])]);
    };
    const out: Expected[] = [];
    const emit = (e: Any, kind: string, pinned: string[]): void => {
      const edit = edits.get(e.id);
      if (!gone(e.id)) {
        const prune = pins.has(e.id) && kind !== 'summary' ? undefined : edit?.prune;
        const shown = { ...(edit?.replaced ? { replaced: edit.replaced } : {}), ...(prune ? { prune } : {}) };
        out.push({ sourceId: e.id, kind, ...(Object.keys(shown).length > 0 ? { edit: shown } : {}) });
      }
      if (pinned.length > 0) out.push({ sourceId: e.id, kind: 'pins', pinned });
    };
    const emitRange = (from: number, to: number): void => {
      for (const e of path.slice(from, to))
        if (isVisible(e)) emit(e, isSummary(e) ? 'branch' : 'message', isSummary(e) ? region(e) : []);
    };
    if (c < 0) {
      emitRange(s, path.length);
      return out;
    }
    const at = path.findIndex((e, i) => i >= s && i < c && e.id === path[c]!.firstKeptEntryId);
    const kept: unknown[] = path[c]!.details?.espalier?.keptUserEntryIds ?? [];
    const isKept = (e: Any): boolean =>
      kept.includes(e.id) && e.type === 'message' && e.message?.role === 'user' && isVisible(e) && !gone(e.id);
    const hidden = path
      .slice(s, at < 0 ? c : at)
      .flatMap((e) => [...(isPinned(e) || isKept(e) ? [e.id] : []), ...(isSummary(e) ? region(e) : [])]);
    emit(path[c]!, 'summary', hidden);
    if (at >= 0) emitRange(at, c);
    emitRange(c + 1, path.length);
    return out;
  }

  private edits(path: readonly Any[]): Map<string, Any> {
    const edits = new Map<string, Any>();
    const of = (id: string): Any => edits.get(id) ?? edits.set(id, {}).get(id)!;
    for (const e of path) {
      if (e.type === 'context_edit') of(e.targetId).replaced = e.replacement;
      else if (e.customType === 'espalier.omit') for (const id of e.data.targets) of(id).omitted = true;
      else if (e.customType === 'espalier.prune')
        for (const { targetId, mode, tokens } of e.data.items)
          of(targetId).prune =
            e.data.action === 'prune' && ['elide', 'shorten', 'images'].includes(mode) ? { mode, tokens } : undefined;
    }
    return edits;
  }
}

const isSummary = (e: Any): boolean => e.type === 'branch_summary' && isVisible(e);
