import { isRecord } from '@shared/checks';
import type { SessionDoor } from '../session-door';
import { toWire } from '../process/to-wire';
import type { ExtensionUi } from '../ui/extension-ui';

/** What an extension may do with a session: the door's methods by name, each with what it takes. */
const DOOR: Record<string, (door: SessionDoor, args: readonly unknown[]) => unknown> = {
  sendMessage: (door, [message, options]) => door.sendMessage(message as never, options as never),
  sendUserMessage: (door, [content, options]) => door.sendUserMessage(content as never, options as never),
  appendEntry: (door, [customType, data]) => door.appendEntry(text(customType, 'customType'), data),
  setName: (door, [name]) => door.setName(text(name, 'The name')),
  setLabel: (door, [id, label]) =>
    door.setLabel(
      text(id, 'The entry’s id'),
      label === undefined || label === null ? undefined : text(label, 'The label'),
    ),
  setModel: (door, [ref]) => {
    const { provider, modelId } = isRecord(ref) ? ref : {};
    return door.setModel({ provider: text(provider, 'The provider'), modelId: text(modelId, 'The model') });
  },
  setThinkingLevel: (door, [level]) => door.setThinkingLevel(text(level, 'The level')),
  setActiveTools: (door, [names]) => door.setActiveTools(Array.isArray(names) ? names.map(String) : []),
  abort: (door) => door.abort(),
  compact: (door, [options]) => {
    const { customInstructions } = isRecord(options) ? options : {};
    return door.compact(typeof customInstructions === 'string' ? { customInstructions } : {});
  },
  waitForIdle: (door) => door.waitForIdle(),
  newSession: (door, [options]) => door.newSession(isRecord(options) ? only(options, ['parentSession']) : {}),
  fork: (door, [entryId, options]) =>
    door.fork(text(entryId, 'The entry’s id'), isRecord(options) ? only(options, ['position']) : {}),
  navigateTree: (door, [targetId, options]) =>
    door.navigateTree(
      text(targetId, 'The entry’s id'),
      isRecord(options) ? only(options, ['summarize', 'customInstructions', 'replaceInstructions', 'label']) : {},
    ),
  switchSession: (door, [file]) => door.switchSession(text(file, 'The session')),
  reload: (door) => door.reload(),
};

/** Carries out an action on a session. Rejects in words. */
export async function answerDoor(door: SessionDoor, method: string, args: readonly unknown[]): Promise<unknown> {
  const act = Object.hasOwn(DOOR, method) ? DOOR[method] : undefined;
  if (!act) throw new Error(`Nothing answers to ${method}.`);
  return toWire(await act(door, args));
}

/** Dialogs: the last argument is how it may end. */
const DIALOGS: Record<string, (ui: ExtensionUi, args: readonly unknown[], how: { signal: AbortSignal }) => unknown> = {
  select: (ui, [title, options], how) => ui.select(title as string, Array.isArray(options) ? options : [], how),
  confirm: (ui, [title, message], how) => ui.confirm(title as string, message as string, how),
  input: (ui, [title, placeholder], how) => ui.input(title as string, placeholder as string, how),
  editor: (ui, [title, prefill], how) => ui.editor(title as string, prefill as string, how),
};

export async function answerDialog(
  ui: ExtensionUi,
  method: string,
  args: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  const ask = Object.hasOwn(DIALOGS, method) ? DIALOGS[method] : undefined;
  if (!ask) throw new Error(`Nothing answers to ${method}.`);
  const last = args.at(-1);
  const timeout = isRecord(last) && typeof last.timeout === 'number' ? { timeout: last.timeout } : {};
  return ask(ui, args, { signal, ...timeout });
}

const SHOWS: Record<string, (ui: ExtensionUi, args: readonly unknown[]) => void> = {
  notify: (ui, [words, level]) => ui.notify(words as string, level as 'info'),
  noticesLeftOut: (ui, [count]) => ui.noticesLeftOut(count as number),
  setStatus: (ui, [key, words]) => ui.setStatus(key as string, words as string | undefined),
  setWidget: (ui, [key, lines, placement, ...leftOut]) => {
    const at = placement === 'belowEditor' ? placement : 'aboveEditor';
    ui.setWidget(key as string, lines as string[] | undefined, at, ...(leftOut.slice(0, 1) as [number?]));
  },
  setDrawn: (ui, [key, frame, placement]) => ui.setDrawn(key as string, frame, placement),
  setTitle: (ui, [title]) => ui.setTitle(title as string),
  setEditorText: (ui, [words]) => ui.setEditorText(words as string),
  pasteToEditor: (ui, [words]) => ui.pasteToEditor(words as string),
  setWorkingMessage: (ui, [words]) => ui.setWorkingMessage(words as string | undefined),
  setWorkingIndicator: (ui, [indicator]) => ui.setWorkingIndicator(indicator),
  setWorkingVisible: (ui, [isVisible]) => ui.setWorkingVisible(isVisible !== false),
  setHiddenThinkingLabel: (ui, [words]) => ui.setHiddenThinkingLabel(words as string | undefined),
  setCompletes: (ui, [does]) => ui.setCompletes(does === true),
  editorSays: (ui, [does, words]) => ui.editorSays(does, words as string),
};

/** What is only shown; what is no such thing is left out. */
export function answerShow(ui: ExtensionUi, method: string, args: readonly unknown[]): void {
  if (Object.hasOwn(SHOWS, method)) SHOWS[method]?.(ui, args);
}

function text(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${what} is not text.`);
}

function only(options: Record<string, unknown>, keys: readonly string[]): object {
  return Object.fromEntries(keys.filter((key) => options[key] !== undefined).map((key) => [key, options[key]]));
}
