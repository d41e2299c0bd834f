import { isRecord } from '@shared/checks';
import type { ContextParts } from './instance-parts';
import { theme } from './terminal/theme';
import { shortDraft, shortLines, shortText } from './short';
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
    notify: (text: unknown, level: unknown = 'info') => link.notify(shortText(text), shortText(level)),
    setStatus: (key: unknown, text: unknown) => {
      const place = placeOf(key);
      const shown = shortText(text);
      terminal.noteStatus(place, shown);
      link.show(`status ${place}`, 'setStatus', [place, shown], isNothing(shown));
    },
    setWidget(key: unknown, content: unknown, options?: unknown) {
      const { placement } = isRecord(options) ? options : {};
      const place = placeOf(key);
      terminal.still('widget', place, content, placement);
      if (typeof content === 'function') return;
      const { lines, leftOut } = shortLines(content);
      const more = leftOut > 0 ? [leftOut] : [];
      link.show(`widget ${place}`, 'setWidget', [place, lines, shortText(placement), ...more], isNothing(lines));
    },
    setFooter: (factory: unknown) => terminal.still('footer', '', factory),
    setHeader: (factory: unknown) => terminal.still('header', '', factory),
    setTitle: (title: unknown) => link.show('title', 'setTitle', [shortText(title)]),
    setWorkingMessage: (text?: unknown) => link.show('working', 'setWorkingMessage', [shortText(text)]),
    setEditorText: (text: unknown) => link.show('editor', 'setEditorText', [shortDraft(text)]),
    pasteToEditor: (text: unknown) => link.tell('ui', 'pasteToEditor', [shortDraft(text)]),
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
    setWorkingIndicator: (options?: unknown) =>
      link.show('indicator', 'setWorkingIndicator', [toWire(options, MAX_INDICATOR_BYTES)]),
    setHiddenThinkingLabel: (label?: unknown) => link.show('thinking', 'setHiddenThinkingLabel', [shortText(label)]),
    addAutocompleteProvider(factory: unknown) {
      link.assertFresh();
      completions.add(factory);
      link.show('completes', 'setCompletes', [true]);
    },
    onTerminalInput: (listener: unknown) => terminal.onInput(listener),
    setToolsExpanded: () => undefined,
  };
}

const MAX_INDICATOR_BYTES = 256 * 1024;
/** Characters of a key: what is longer is the same place as what begins alike. */
const MAX_KEY = 200;

function placeOf(key: unknown): string {
  return String(key).slice(0, MAX_KEY);
}

/** What takes away what was shown under a key. */
function isNothing(shown: unknown): boolean {
  return shown === undefined || shown === null || shown === '' || (Array.isArray(shown) && shown.length === 0);
}
