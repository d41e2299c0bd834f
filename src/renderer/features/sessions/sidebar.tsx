import { CircleHelp, Plus, Search, Settings, TextSearch, X } from 'lucide-react';
import { BrandMark, IconButton, Input, TOAST_SLOT, Tooltip } from '../../ui';
import { act } from '../../actions/menus';
import { useKeys } from '../../parts/action-button';
import { useApp, useSessions, useSettings } from '../../state/hooks';
import { SessionList } from './session-list';
import styles from './sessions.module.css';

/** The left pane: new session, title filter, the list, settings and help. */
export function Sidebar() {
  const app = useApp();
  const filter = useSessions((state) => state.filter);
  const newKeys = useKeys('session.new');
  const findKeys = useKeys('view.find');
  const isOldRuntime = useSettings((state) => state.developmentRuntime);
  const clear = (): void => app.sessions.setState({ filter: '' });
  return (
    <aside className={styles.side} aria-label="Sessions" data-pane="sessions">
      <div className={styles.brand}>
        <BrandMark size={20} />
        <span>Espalier</span>
        <IconButton
          label="Search all sessions"
          shortcut={findKeys}
          className={styles.new}
          onClick={() => act(app, 'view.find', null)}
        >
          <TextSearch size={15} />
        </IconButton>
        <IconButton label="New session" shortcut={newKeys} tone="default" onClick={() => act(app, 'session.new', null)}>
          <Plus size={15} />
        </IconButton>
      </div>
      <div className={styles.find}>
        <Input
          type="text"
          role="searchbox"
          data-session-filter
          aria-label="Filter sessions by title"
          placeholder="Filter by title"
          lead={<Search size={14} />}
          end={filter ? <ClearFilter onClear={clear} /> : null}
          value={filter}
          onChange={(event) => app.sessions.setState({ filter: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') clear();
            if (event.key === 'ArrowDown') focusFirstRow(event.currentTarget);
          }}
        />
      </div>
      <SessionList />
      <div className={styles.slot} {...TOAST_SLOT} />
      {isOldRuntime && <DevelopmentRuntime />}
      <div className={styles.foot}>
        <button type="button" className={styles.footButton} onClick={() => act(app, 'settings', null)}>
          <Settings size={14} aria-hidden /> Settings
        </button>
        <button type="button" className={styles.footButton} onClick={() => act(app, 'help', null)}>
          <CircleHelp size={14} aria-hidden /> Help
        </button>
      </div>
    </aside>
  );
}

/** For development only: the browser of this runtime has gaps that the shipped one has not. */
function DevelopmentRuntime() {
  return (
    <Tooltip text="Espalier is running on an older Electron, for development and tests. It has known security gaps, so use it only with sessions and files that you trust. Pictures from a workspace are shown after a click.">
      <button type="button" className={styles.runtime}>
        Development runtime
      </button>
    </Tooltip>
  );
}

function ClearFilter({ onClear }: { onClear: () => void }) {
  return (
    <IconButton label="Clear the filter" size="small" onClick={onClear}>
      <X size={13} />
    </IconButton>
  );
}

function focusFirstRow(field: HTMLElement): void {
  field.closest('aside')?.querySelector<HTMLElement>('[data-session]')?.focus();
}
