import { Menu, type MenuItemConstructorOptions } from 'electron';
import { zoomBy } from './window-rules';
import { APP_MENU, type MenuCommand } from '@shared/app-menu';
import { own } from '@shared/checks';
import { refuseShortcut, type Shortcuts } from '@shared/shortcuts';

/** The application menu. Its entries are actions of the window, which alone runs them. `chosen`: keys that the person gave to actions (WN15). */
export function setMenu(send: (command: MenuCommand) => void, development: boolean, chosen: Shortcuts = {}): void {
  const item = (command: MenuCommand): MenuItemConstructorOptions => {
    const action: { label: string; short?: string; keys?: string } = APP_MENU[command];
    const keys = acceleratorOf(own(chosen, command) ?? action.keys ?? '');
    return {
      label: action.short ?? action.label,
      ...(keys === undefined ? {} : { accelerator: keys }),
      // The window's own key handling serves these keys; registering them here too would run them twice.
      registerAccelerator: false,
      click: () => send(command),
    };
  };
  const mac = process.platform === 'darwin';
  const template: MenuItemConstructorOptions[] = [
    ...(mac ? [{ role: 'appMenu' as const }] : []),
    {
      label: '&File',
      submenu: [
        item('session.new'),
        { type: 'separator' },
        item('session.import'),
        item('session.importAll'),
        item('session.export'),
        { type: 'separator' },
        item('settings'),
        { type: 'separator' },
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        item('view.palette'),
        item('view.find'),
        item('view.sidebar'),
        { type: 'separator' },
        { role: 'resetZoom' },
        // Not the roles, which know no bound.
        { label: 'Zoom In', accelerator: 'CmdOrCtrl+Plus', click: (_item, window) => zoomBy(window, 1) },
        { label: 'Zoom Out', accelerator: 'CmdOrCtrl+-', click: (_item, window) => zoomBy(window, -1) },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(development ? [{ role: 'toggleDevTools' as const }] : []),
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [item('tour.open')] },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

/** A combination as Electron writes it; undefined: none, or one that no action can have. */
function acceleratorOf(keys: string): string | undefined {
  if (refuseShortcut(keys) !== null) return undefined;
  return keys.replace('Mod', 'CmdOrCtrl').replace('Control+', 'Ctrl+').replace('Arrow', '');
}
