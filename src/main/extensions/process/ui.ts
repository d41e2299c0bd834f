import { isRecord } from '@shared/checks';
import type { ContextParts } from './instance-parts';
import { theme } from './terminal/theme';
import { toWire } from './to-wire';

/** `ctx.ui` (EX16). What only a terminal has does nothing here, as in pi's own RPC mode. */
export function makeUi({ link, facts, terminal, completions }: ContextParts): object {
  /** A dialog; what the person closes is undefined. */
  const ask = async (method: string, args: unknown[], options?: unknown): Promise<unknown> => {
    link.assertFresh();
    const { signal, timeout } = isRecord(options) ? options : {};
    const given = signal instanceof AbortSignal ? signal : undefined;
    if (given?.aborted) return undefined;
    try {
      return await link.ask('ui', method, [...args, typeof timeout === 'number' ? { timeout } : {}], given);
    } catch (error) {
      if (given?.aborted) return undefined;
      throw error;
    }
  };
  return {
    select: (title: unknown, options: unknown, how?: unknown) => ask('select', [title, toWire(options)], how),
    confirm: async (title: unknown, message: unknown, how?: unknown) =>
      (await ask('confirm', [title, message], how)) === true,
    input: (title: unknown, placeholder?: unknown, how?: unknown) => ask('input', [title, placeholder], how),
    editor: (title: unknown, prefill?: unknown, how?: unknown) => ask('editor', [title, prefill], how),
    notify: (text: unknown, level: unknown = 'info') => link.tell('ui', 'notify', [toWire(text), level]),
    setStatus: (key: unknown, text: unknown) => {
      terminal.noteStatus(String(key), text);
      link.show(`status ${String(key)}`, 'setStatus', [key, toWire(text)]);
    },
    setWidget(key: unknown, content: unknown, options?: unknown) {
      const { placement } = isRecord(options) ? options : {};
      terminal.still('widget', String(key), content, placement);
      if (typeof content === 'function') return;
      link.show(`widget ${String(key)}`, 'setWidget', [key, toWire(content), placement]);
    },
    setFooter: (factory: unknown) => terminal.still('footer', '', factory),
    setHeader: (factory: unknown) => terminal.still('header', '', factory),
    setTitle: (title: unknown) => link.show('title', 'setTitle', [title]),
    setWorkingMessage: (text?: unknown) => link.show('working', 'setWorkingMessage', [text]),
    setEditorText: (text: unknown) => link.show('editor', 'setEditorText', [text]),
    pasteToEditor: (text: unknown) => link.tell('ui', 'pasteToEditor', [text]),
    getEditorText: () => facts().editorText,
    custom: (factory: unknown, options?: unknown) => terminal.custom(factory, options),
    theme,
    getAllThemes: () => [],
    getTheme: () => undefined,
    setTheme: () => ({ success: false, error: 'Themes of extensions are not available in Espalier.' }),
    getToolsExpanded: () => false,
    setEditorComponent: (factory: unknown) => terminal.setEditor(factory),
    getEditorComponent: () => terminal.editorFactory,
    setWorkingVisible: (isVisible: unknown) => link.show('working row', 'setWorkingVisible', [isVisible !== false]),
    setWorkingIndicator: (options?: unknown) => link.show('indicator', 'setWorkingIndicator', [toWire(options)]),
    setHiddenThinkingLabel: (label?: unknown) => link.show('thinking', 'setHiddenThinkingLabel', [label]),
    addAutocompleteProvider(factory: unknown) {
      link.assertFresh();
      completions.add(factory);
      link.show('completes', 'setCompletes', [true]);
    },
    onTerminalInput: (listener: unknown) => terminal.onInput(listener),
    setToolsExpanded: () => undefined,
  };
}
