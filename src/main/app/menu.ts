import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { MenuCommand } from '@shared/ipc/contract';

/** The application menu. Its commands go to the window, which has them in its palette too, so there is one place that acts. */
export function setMenu(send: (command: MenuCommand) => void, development: boolean): void {
  const item = (label: string, command: MenuCommand, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    accelerator,
    // The window's own key handling serves these keys; registering them here too would run them twice.
    registerAccelerator: false,
    click: () => send(command),
  });
  const mac = process.platform === 'darwin';
  const template: MenuItemConstructorOptions[] = [
    ...(mac ? [{ role: 'appMenu' as const }] : []),
    {
      label: '&File',
      submenu: [
        item('New session', 'new-session', 'CmdOrCtrl+N'),
        { type: 'separator' },
        item('Import…', 'import', 'CmdOrCtrl+O'),
        item('Export…', 'export', 'CmdOrCtrl+Shift+E'),
        { type: 'separator' },
        item('Settings…', 'settings', 'CmdOrCtrl+,'),
        { type: 'separator' },
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        item('Command palette…', 'palette', 'CmdOrCtrl+K'),
        item('Find a session', 'find-session', 'CmdOrCtrl+Shift+F'),
        item('Show or hide the sessions', 'toggle-sidebar', 'CmdOrCtrl+B'),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(development ? [{ role: 'toggleDevTools' as const }] : []),
      ],
    },
    { role: 'windowMenu' },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
