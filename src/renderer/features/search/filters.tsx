import { type ReactNode, useMemo } from 'react';
import { ChevronDown, X } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import { type Writer, WRITERS } from '@shared/search/types';
import { useApp, useSessions, useSettings } from '../../state/hooks';
import { DAYS, NO_FILTERS, type SearchFilters } from '../../state/search-store';
import { workspaceNames } from '../../state/session-groups';
import { DropdownMenu, type MenuItem } from '../../ui';
import styles from './search.module.css';

const WRITER_WORDS: Record<Writer, string> = { you: 'you', agent: 'the agent', tool: 'tools' };
const DAY_WORDS: Record<(typeof DAYS)[number], string> = {
  1: 'past day',
  7: 'past week',
  30: 'past month',
  365: 'past year',
};
/** Folders that are offered. */
const MOST_FOLDERS = 200;

/** What the folders of sessions are called, each by the first of its sessions. */
export function useFolderNames(): ReadonlyMap<string, string> {
  const byId = useSessions((sessions) => sessions.byId);
  const scratch = useSettings((settings) => settings.scratchDir);
  return useMemo(() => {
    const left = new Map(workspaceNames(byId, scratch));
    const names = new Map<string, string>();
    for (const { id, workspace } of Object.values(byId)) {
      const name = left.get(workspace);
      if (name !== undefined) names.set(id, visibleString(name));
      left.delete(workspace);
    }
    return names;
  }, [byId, scratch]);
}

/** Its session was deleted. */
const NO_FOLDER = 'a folder that is gone';

/** What the filters leave, in words: “from you in the past week”; '': all of it. */
export function inFilters({ folder, writer, days }: SearchFilters, names: ReadonlyMap<string, string>): string {
  return [
    writer !== null && `from ${WRITER_WORDS[writer]}`,
    folder !== null && `in “${names.get(folder) ?? NO_FOLDER}”`,
    days !== null && `in the ${DAY_WORDS[days]}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Which hits are looked for at all: of a folder, of an author, of some time. What is on is said, and let go of with one press (SE5). */
export function Filters({ filters }: { filters: SearchFilters }) {
  const app = useApp();
  const names = useFolderNames();
  const { folder, writer, days } = filters;
  const set = (change: Partial<SearchFilters>): void => app.search.ask({ filters: { ...filters, ...change } });
  const pick = <V,>(key: keyof SearchFilters, value: V | null, label: string): MenuItem => ({
    ...{ kind: 'check', id: String(value), label, checked: filters[key] === value },
    onChange: () => set({ [key]: value }),
  });
  const isOn = folder !== null || writer !== null || days !== null;
  return (
    <div className={styles.filters} role="group" aria-label="Filters">
      <Choice
        isOn={folder !== null}
        items={[
          pick('folder', null, 'All folders'),
          ...[...names].slice(0, MOST_FOLDERS).map(([sessionId, name]) => pick('folder', sessionId, name)),
        ]}
      >
        {folder === null ? 'All folders' : (names.get(folder) ?? NO_FOLDER)}
      </Choice>
      <Choice
        isOn={writer !== null}
        items={[
          pick('writer', null, 'From anyone'),
          ...WRITERS.map((who) => pick('writer', who, `From ${WRITER_WORDS[who]}`)),
        ]}
      >
        From: {writer === null ? 'anyone' : WRITER_WORDS[writer]}
      </Choice>
      <Choice
        isOn={days !== null}
        items={[pick('days', null, 'Any time'), ...DAYS.map((count) => pick('days', count, upper(DAY_WORDS[count])))]}
      >
        {days === null ? 'Any time' : upper(DAY_WORDS[days])}
      </Choice>
      {isOn && (
        <button
          type="button"
          className={styles.clear}
          aria-label="Clear filters"
          onClick={() => {
            app.search.ask({ filters: NO_FILTERS });
            app.page.focusOnceDrawn('search');
          }}
        >
          <X size={12} aria-hidden />
        </button>
      )}
    </div>
  );
}

const upper = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

function Choice({ isOn, items, children }: { isOn: boolean; items: readonly MenuItem[]; children: ReactNode }) {
  return (
    <DropdownMenu
      items={items}
      trigger={
        <button type="button" className={styles.chip} data-on={isOn || undefined}>
          <span className={styles.only}>{children}</span>
          <ChevronDown size={12} aria-hidden />
        </button>
      }
    />
  );
}
