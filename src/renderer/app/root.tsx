import { useEffect, useMemo } from 'react';
import { TooltipProvider } from '../ui';
import { AppContext } from '../state/hooks';
import { lookAgain } from '../state/folder-status';
import { attend } from '../actions/attend';
import { actHere } from '../actions/menus';
import type { App } from '../state/app-type';
import { followTheme } from './theme';
import { followTitle } from './title';
import { handleKeys } from './keyboard';
import { RootBoundary } from '../features/faults/root-boundary';
import { followSelectAll } from '../features/texts/select-all';
import { Window } from './window';

/** The window's React tree over one app state. */
export function Root({ app }: { app: App }) {
  useEffect(() => followTheme(app), [app]);
  useEffect(() => followTitle(app), [app]);
  useEffect(() => handleKeys(app), [app]);
  useEffect(() => followSelectAll(app), [app]);
  useEffect(() => {
    const look = (): void => lookAgain(app);
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [app]);
  useMemo(() => {
    app.onCommand = (command) => actHere(app, command);
    app.onAttend = (sessionId) => void attend(app, sessionId);
  }, [app]);
  return (
    <RootBoundary app={app}>
      <AppContext value={app}>
        <TooltipProvider>
          <Window />
        </TooltipProvider>
      </AppContext>
    </RootBoundary>
  );
}
