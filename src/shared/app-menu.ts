/** The actions that the application menu has too: their words and keys, said once for main and the window. */
export const APP_MENU = {
  'session.new': { label: 'New session', keys: 'Mod+N' },
  'session.import': { label: 'Import sessions', short: 'Import…', keys: 'Mod+O' },
  'session.importAll': { label: 'Import all sessions of pi', short: 'Import from pi…' },
  'session.export': { label: 'Export this session', short: 'Export…', keys: 'Mod+Shift+E' },
  settings: { label: 'Settings', short: 'Settings…', keys: 'Mod+,' },
  'view.palette': { label: 'Command palette', short: 'Command palette…', keys: 'Mod+K' },
  'view.find': { label: 'Search all sessions', keys: 'Mod+Shift+F' },
  'tour.open': { label: 'Open the tour' },
  'view.sidebar': { label: 'Toggle session list', keys: 'Mod+B' },
} as const;

/** What the application menu asks of the window: an action, by its id. */
export type MenuCommand = keyof typeof APP_MENU;
