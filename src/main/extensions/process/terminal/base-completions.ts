import { type AutocompleteProvider, CombinedAutocompleteProvider, type SlashCommand } from '@mariozechner/pi-tui';
import { isRecord } from '@shared/checks';

/** What an editor of an extension completes by itself: commands, and paths below the session's folder. */
export function baseCompletions({
  commands,
  cwd,
}: {
  commands: readonly unknown[];
  cwd: string;
}): AutocompleteProvider {
  const named = commands.flatMap((command): SlashCommand[] => {
    if (!isRecord(command) || typeof command.name !== 'string') return [];
    const { name, description } = command;
    return [{ name, ...(typeof description === 'string' ? { description } : {}) }];
  });
  return new CombinedAutocompleteProvider(named, cwd);
}
