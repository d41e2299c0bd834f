import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { type ExtensionCompletion, MAX_COMPOSER_CHARS } from '@shared/extensions/ui';
import { visibleString } from '@shared/policy/visible-text';
import { LIST, outsideCommands } from '../../actions/menus';
import type { Client } from '../../bridge';
import type { App } from '../../state/app-type';
import { useLive } from '../../state/hooks';
import { cx } from '../../ui';
import styles from './composer.module.css';

interface Completion {
  /** `extension`: what some extension makes of it. */
  kind: 'command' | 'path' | 'extension';
  query: string;
  /** The part of the text that a choice replaces. */
  from: number;
  to: number;
}

/** A command at the very start, or a path after `@` at the start of a word; null elsewhere. */
function findCompletion(text: string, caret: number): Completion | null {
  const before = text.slice(0, caret);
  const command = /^\/([^\s/]*)$/.exec(before);
  if (command) return { kind: 'command', query: command[1] ?? '', from: 0, to: caret };
  const path = /(?:^|[\s(])@("?)([^\s"@]*)$/.exec(before);
  if (!path) return null;
  const typed = path[2] ?? '';
  return { kind: 'path', query: typed, from: caret - typed.length - (path[1]?.length ?? 0) - 1, to: caret };
}

/** Replaces the completed part; returns the new text and where the caret goes. */
export function replaceCompletion(text: string, { from, to }: Completion, by: string): { text: string; caret: number } {
  return { text: text.slice(0, from) + by + text.slice(to), caret: from + by.length };
}

/** How a path is written into a message: quoted where it holds a space; a folder stays open for more. */
export function mentionOf(path: string): string {
  const folder = path.endsWith('/');
  if (!/\s/.test(path)) return folder ? `@${path}` : `@${path} `;
  return folder ? `@"${path}` : `@"${path}" `;
}

export interface CompletionChoice {
  id: string;
  label: string;
  hint: string;
  command?: { name: string; takesText: boolean };
  /** Whose command it is. */
  origin?: string;
  path?: string;
  /** What an extension would write, and where. */
  change?: ExtensionCompletion;
}

interface ActiveCompletion {
  completion: Completion;
  choices: CompletionChoice[];
}

/** Milliseconds of silence before the workspace is asked for paths. */
const PATH_DELAY_MS = 60;
const MAX_CHOICES = 12;

/** What can be completed at the caret now, or null. `caret` is null while the field has a selection. */
export function useCompletion(
  app: App,
  sessionId: string,
  text: string,
  caret: number | null,
): ActiveCompletion | null {
  const completion = caret === null ? null : findCompletion(text, caret);
  const pathQuery = completion?.kind === 'path' ? completion.query : null;
  useCommands(app, sessionId, completion?.kind === 'command');
  const paths = usePaths(app.client, sessionId, pathQuery);
  const offered = useOffered(app, sessionId, text, completion ? null : caret);
  if (!completion) return offered;
  const choices =
    completion.kind === 'command'
      ? commandChoices(app, completion.query)
      : paths.map((path) => ({ id: path, label: visibleString(path), hint: '', path }));
  return choices.length > 0 ? { completion, choices } : null;
}

/** Commands whose name starts with the query: the app's own in the order of the list, then the others by name. */
function commandChoices(app: App, query: string): CompletionChoice[] {
  const typed = query.toLowerCase();
  const own = LIST.flatMap(({ id, slash, argument, label }): CompletionChoice[] =>
    slash?.startsWith(typed)
      ? [
          {
            id,
            label: `/${slash}${argument ? ` <${argument}>` : ''}`,
            hint: label,
            command: { name: slash, takesText: argument !== undefined },
          },
        ]
      : [],
  );
  const others = outsideCommands(app)
    .filter(({ name }) => name.toLowerCase().startsWith(typed))
    .map(({ name, argumentHint, description, origin }) => ({
      id: `/${name}`,
      label: visibleString(`/${name}${argumentHint ? ` ${argumentHint}` : ''}`),
      hint: visibleString(description),
      origin: visibleString(origin),
      command: { name, takesText: true },
    }));
  return [...own, ...others];
}

/** Main is asked when the session is shown and each time that a command is begun: files that say what there is may have changed. */
function useCommands(app: App, sessionId: string, isWanted: boolean): void {
  useStore(app.slash.state);
  useEffect(() => void app.slash.refresh(sessionId), [app, sessionId, isWanted]);
}

function usePaths(client: Client, sessionId: string, query: string | null): string[] {
  const [paths, setPaths] = useState<string[]>([]);
  useEffect(() => {
    if (query === null) {
      setPaths((held) => (held.length ? [] : held));
      return;
    }
    let current = true;
    const timer = setTimeout(() => {
      client.request('workspace.completePath', { sessionId, query }).then(
        (found) => current && setPaths(found.paths.slice(0, MAX_CHOICES)),
        // Completion is a convenience: without an answer the text is simply typed.
        () => current && setPaths([]),
      );
    }, PATH_DELAY_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [client, sessionId, query]);
  return paths;
}

/** Extensions are asked about what is none of ours, where one of them completes. */
function useOffered(app: App, sessionId: string, text: string, caret: number | null): ActiveCompletion | null {
  const completes = useLive(app.openSession(sessionId), (live) => live.extensionShows.completes);
  const [offered, setOffered] = useState<{ text: string; caret: number; choices: CompletionChoice[] } | null>(null);
  const isWanted = completes && caret !== null && text !== '' && text.length <= MAX_COMPOSER_CHARS;
  useEffect(() => {
    if (!isWanted) return;
    let isOld = false;
    const timer = setTimeout(() => {
      app.client.request('extensions.complete', { sessionId, text, caret }).then(
        (found) => !isOld && setOffered({ text, caret, choices: found.map(choiceOf) }),
        // What can't be had is simply typed.
        () => undefined,
      );
    }, PATH_DELAY_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [app, sessionId, text, caret, isWanted]);
  if (!isWanted || offered?.text !== text || offered.caret !== caret || offered.choices.length === 0) return null;
  return { completion: { kind: 'extension', query: '', from: caret, to: caret }, choices: offered.choices };
}

function choiceOf(change: ExtensionCompletion, index: number): CompletionChoice {
  const { label, description } = change;
  return { id: `${index} ${label}`, label: visibleString(label), hint: visibleString(description), change };
}

interface CompletionListProps {
  id: string;
  label: string;
  choices: readonly CompletionChoice[];
  selected: number;
  onHover: (index: number) => void;
  onChoose: (choice: CompletionChoice) => void;
}

/** The list above the composer; the text field keeps the focus and points at the selected row. */
export function CompletionList({ id, label, choices, selected, onHover, onChoose }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <div ref={list} id={id} role="listbox" aria-label={label} className={styles.completions}>
      {choices.map((choice, index) => (
        <div
          key={choice.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === selected}
          className={cx(styles.completion, index === selected && styles.selected)}
          onPointerMove={() => onHover(index)}
          // Pressing must not take the focus from the text field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(choice)}
        >
          <code>{choice.label}</code>
          <span className={styles.what}>{choice.hint}</span>
          {choice.origin !== undefined && <span className={styles.origin}>{choice.origin}</span>}
        </div>
      ))}
    </div>
  );
}
