import { type KeybindingDefinitions, KeybindingsManager, setKeybindings, TUI_KEYBINDINGS } from '@mariozechner/pi-tui';

/** Of pi's own program, as far as components ask for them by name. */
const APP_KEYS: KeybindingDefinitions = {
  'app.interrupt': { defaultKeys: 'escape', description: 'Cancel or abort' },
  'app.clear': { defaultKeys: 'ctrl+c', description: 'Clear editor' },
  'app.exit': { defaultKeys: 'ctrl+d', description: 'Exit' },
  'app.thinking.cycle': { defaultKeys: 'shift+tab', description: 'Cycle thinking level' },
  'app.model.cycleForward': { defaultKeys: 'ctrl+p', description: 'Next model' },
  'app.model.select': { defaultKeys: 'ctrl+l', description: 'Select a model' },
  'app.tools.expand': { defaultKeys: 'ctrl+o', description: 'Toggle tool output' },
  'app.thinking.toggle': { defaultKeys: 'ctrl+t', description: 'Toggle thinking' },
  'app.editor.external': { defaultKeys: 'ctrl+g', description: 'External editor' },
  'app.message.followUp': { defaultKeys: 'alt+enter', description: 'Queue a message' },
};

let manager: KeybindingsManager | undefined;

/** Which keys do what in components; the same for all of a process. */
export function keybindings(): KeybindingsManager {
  if (!manager) {
    manager = new KeybindingsManager({ ...TUI_KEYBINDINGS, ...APP_KEYS });
    setKeybindings(manager);
  }
  return manager;
}
