import { useEffect, useState } from 'react';
import { visibleString } from '@shared/policy/visible-text';
import type { Client } from '../../bridge';
import type { Listed } from '../../actions/menus';
import { findCompletion, matchCommands, type Completion } from './completion';

export interface CompletionChoice {
  id: string;
  label: string;
  hint: string;
  command?: Listed;
  path?: string;
}

export interface ActiveCompletion {
  completion: Completion;
  choices: CompletionChoice[];
}

/** Milliseconds of silence before the workspace is asked for paths. */
const PATH_DELAY_MS = 60;
const MAX_CHOICES = 12;

/** What can be completed at the caret now, or null. `caret` is null while the field has a selection. */
export function useCompletion(
  client: Client,
  sessionId: string,
  text: string,
  caret: number | null,
): ActiveCompletion | null {
  const completion = caret === null ? null : findCompletion(text, caret);
  const pathQuery = completion?.kind === 'path' ? completion.query : null;
  const paths = usePaths(client, sessionId, pathQuery);
  if (!completion) return null;
  const choices =
    completion.kind === 'command'
      ? commandChoices(completion.query)
      : paths.map((path) => ({ id: path, label: visibleString(path), hint: '', path }));
  return choices.length > 0 ? { completion, choices } : null;
}

function commandChoices(query: string): CompletionChoice[] {
  return matchCommands(query).map((command) => ({
    id: command.id,
    label: `/${command.slash ?? ''}${command.argument ? ` <${command.argument}>` : ''}`,
    hint: command.label,
    command,
  }));
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
