import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Search } from 'lucide-react';
import { Dialog, Input, Tabs } from '../../ui';
import { useApp, useUi } from '../../state/hooks';
import type { SettingsPane } from '../../state/ui-store';
import { McpPane } from './mcp-pane';
import { openAdvanced } from './advanced';
import { AboutPane, DataPane, NotificationsPane, Spelling } from './app-panes';
import { ApprovalRules, SessionApprovalRules } from './approval-rules';
import { ContextPane } from './context-pane';
import { ExtensionsPane } from './extensions-pane';
import { GroupRows, Pane } from './pane';
import { InstructionsPane } from './instructions-pane';
import { ProvidersPane } from './providers-pane';
import { ShortcutsPane } from './shortcuts-pane';
import { findSettings, Found, PANE_NAMES } from './find-settings';
import { TrustedFolders } from './trusted-folders';
import styles from './settings.module.css';

const CONTENTS: Record<SettingsPane, () => ReactNode> = {
  providers: () => <ProvidersPane />,
  tools: () => (
    <Pane title="Tools">
      <GroupRows group="tools" />
      <TrustedFolders />
      <ApprovalRules />
      <SessionApprovalRules />
    </Pane>
  ),
  extensions: () => <ExtensionsPane />,
  mcp: () => <McpPane />,
  context: () => <ContextPane />,
  instructions: () => <InstructionsPane />,
  appearance: () => (
    <Pane title="Appearance">
      <GroupRows group="appearance" />
      <Spelling />
    </Pane>
  ),
  shortcuts: () => <ShortcutsPane />,
  notifications: () => <NotificationsPane />,
  data: () => <DataPane />,
  about: () => <AboutPane />,
};

/** Settings, drawn from the shared schema; each takes effect at once. */
export function SettingsDialog() {
  const app = useApp();
  const pane = useUi((ui) => ui.settings);
  const [wanted, setWanted] = useState('');
  /** How far each pane was scrolled, in CSS pixels, until the window closes. */
  const places = useRef(new Map<SettingsPane, number>());
  const isSearch = wanted.trim() !== '';
  const show = (next: SettingsPane): void => {
    setWanted('');
    app.ui.setState({ settings: next });
  };
  const showFound = (next: SettingsPane): void => {
    openAdvanced(next);
    show(next);
  };
  return (
    <Dialog
      open={pane !== null}
      onOpenChange={(open) => {
        if (open) return;
        setWanted('');
        app.ui.setState({ settings: null });
      }}
      title="Settings"
      size="large"
      hideTitle
      flush
    >
      <Tabs
        className={styles.tabs}
        label="Settings"
        orientation="vertical"
        before={
          <div className={styles.search} role="search">
            <Input
              type="search"
              aria-label="Search settings"
              placeholder="Search settings"
              spellCheck={false}
              lead={<Search size={13} />}
              value={wanted}
              onChange={(event) => setWanted(event.target.value)}
              {...(wanted === '' ? {} : { 'data-own-escape': true })}
              onKeyDown={(event) => {
                // The first Escape ends the search, the next one closes Settings.
                if (event.key !== 'Escape' || wanted === '' || event.nativeEvent.isComposing) return;
                event.preventDefault();
                setWanted('');
              }}
            />
          </div>
        }
        items={(Object.keys(CONTENTS) as SettingsPane[]).map((value) => ({
          value,
          label: PANE_NAMES[value],
          content: (
            <>
              {/* A form that is half typed stays as it is meanwhile. */}
              <div hidden={isSearch}>
                <Scrolled pane={value} places={places.current} isSearch={isSearch} />
                {CONTENTS[value]()}
              </div>
              {isSearch && <Found found={findSettings(wanted)} onShow={showFound} />}
            </>
          ),
        }))}
        value={pane ?? 'providers'}
        inPlace={isSearch ? 'Settings that were found' : undefined}
        onChange={(value) => show(value as SettingsPane)}
      />
    </Dialog>
  );
}

interface ScrolledProps {
  pane: SettingsPane;
  places: Map<SettingsPane, number>;
  /** What was found stands in the place of the pane. */
  isSearch: boolean;
}

/** Brings a pane back to where it was scrolled, and notes where it is (WN15). Some get their height later, when what they show has come. */
function Scrolled({ pane, places, isSearch }: ScrolledProps) {
  const here = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const panel = here.current?.closest('[role="tabpanel"]');
    const content = here.current?.parentElement;
    if (!panel || !content) return;
    let waiting: number | null = isSearch ? 0 : (places.get(pane) ?? 0);
    const restore = (): void => {
      if (waiting === null) return;
      panel.scrollTop = waiting;
      if (panel.scrollTop >= waiting - 1) waiting = null;
    };
    const note = (): void => {
      if (waiting === null && !isSearch) places.set(pane, panel.scrollTop);
    };
    const take = (): void => void (waiting = null);
    restore();
    const sizes = new ResizeObserver(restore);
    sizes.observe(content);
    panel.addEventListener('scroll', note);
    // Whoever scrolls meanwhile decides.
    for (const how of ['wheel', 'keydown', 'pointerdown']) panel.addEventListener(how, take);
    return () => {
      sizes.disconnect();
      panel.removeEventListener('scroll', note);
      for (const how of ['wheel', 'keydown', 'pointerdown']) panel.removeEventListener(how, take);
    };
  }, [pane, places, isSearch]);
  return <span ref={here} hidden />;
}
