import { parseRecord } from '@shared/session/records';
import type { SessionView } from './session-view';

type Marks = Pick<SessionView, 'labels' | 'archived'>;

/** What a side record changes about labels and hidden branches (TR8, SF11): the last in file order wins. */
export function applySideRecord({ labels, archived }: Marks, line: string): Marks {
  const record = parse(line);
  if (record?.type === 'label' && typeof record.targetId === 'string') {
    const { [record.targetId]: _old, ...others } = labels;
    const label = typeof record.label === 'string' ? record.label.trim() : '';
    return { labels: label === '' ? others : { ...others, [record.targetId]: label }, archived };
  }
  if (record?.type === 'custom' && record.customType === 'espalier.archive') {
    const { targetId, archived: isHidden } = (record.data ?? {}) as { targetId?: unknown; archived?: unknown };
    if (typeof targetId !== 'string') return { labels, archived };
    const others = archived.filter((id) => id !== targetId);
    return { labels, archived: isHidden === true ? [...others, targetId] : others };
  }
  return { labels, archived };
}

function parse(line: string): Record<string, unknown> | null {
  const record = parseRecord(line);
  return record.kind === 'entry' ? { ...record.entry } : null;
}
