import {
  isSlashName,
  MAX_SLASH_COMMANDS,
  SLASH_KINDS,
  type SlashCommand,
  type SlashKind,
  slashWords,
  splitSlash,
} from '@shared/slash';

/**
 * What became of a command: `text` is sent in its place, as if the person had typed it; `done`: it was carried out, and nothing is
 * sent. Null: the source has no such command.
 */
export type SlashOutcome = { text: string; done?: undefined } | { done: true; text?: undefined } | null;

/** A command with where it lies, for extensions; the window is told its name and origin alone. */
export interface PlacedCommand extends SlashCommand {
  place?: { path: string; scope: 'user' | 'project'; root?: string };
}

/** Where commands come from. All of it is of the session that is named, and may be of another workspace than the next. */
export interface SlashSource {
  /** Asked each time that a list is shown, so it is not to be slow. A source that rejects offers nothing. */
  list(sessionId: string): PlacedCommand[] | Promise<PlacedCommand[]>;
  /**
   * Carries it out. `args`: what stands behind the name, unparsed.
   * @throws an Error whose message is for the person: the text stays in the composer
   */
  run(sessionId: string, name: string, args: string): Promise<SlashOutcome>;
}

/** The commands of all sources (CM3). The app's own are the window's, and win. */
export class SlashCommands {
  private readonly sources = new Set<SlashSource>();
  private readonly listeners = new Set<(sessionId: string | null) => void>();

  /** @param onChange the lists of a session, or of all (null), may be others now */
  constructor(private readonly onChange: (sessionId: string | null) => void = () => undefined) {}

  /** Returns the function that takes it out again. */
  add(source: SlashSource): () => void {
    this.sources.add(source);
    this.changed(null);
    return () => {
      if (this.sources.delete(source)) this.changed(null);
    };
  }

  /** A source calls it when its commands have changed; null: in all sessions. */
  changed(sessionId: string | null): void {
    this.onChange(sessionId);
    for (const listener of this.listeners) listener(sessionId);
  }

  /** Returns the function that ends it. */
  onChanged(listener: (sessionId: string | null) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** What a session can be told to do, each name once, by name. Never rejects. */
  async list(sessionId: string): Promise<SlashCommand[]> {
    const found = await this.find(sessionId);
    return [...found.values()].map(({ command }) => command).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The same with their places, in no order. Never rejects. */
  async placed(sessionId: string): Promise<PlacedCommand[]> {
    const found = await this.find(sessionId);
    return [...found.values()].map(({ command, place }) => ({ ...command, ...(place ? { place } : {}) }));
  }

  /**
   * Carries out a text that is a command of one of these kinds. Null: there is none of that name.
   * @throws an Error whose message is for the person
   */
  async run(sessionId: string, text: string, kinds: readonly SlashKind[] = SLASH_KINDS): Promise<SlashOutcome> {
    const asked = splitSlash(text);
    if (!asked) return null;
    const found = (await this.find(sessionId)).get(asked.name);
    if (!found || !kinds.includes(found.command.source)) return null;
    return found.source.run(sessionId, asked.name, asked.args);
  }

  /** The first of a name wins: by kind, then by the order in which the sources were added. */
  private async find(sessionId: string): Promise<Map<string, FoundCommand>> {
    const lists = await Promise.all(
      [...this.sources].map(async (source) =>
        (await listOf(source, sessionId)).map((command) => ({ command, source })),
      ),
    );
    const all = lists.flat();
    const found = new Map<string, FoundCommand>();
    for (const kind of SLASH_KINDS)
      for (const each of all) {
        const { name, source } = each.command;
        if (source !== kind || found.has(name) || found.size >= MAX_SLASH_COMMANDS) continue;
        found.set(name, { ...each, command: shown(each.command), place: each.command.place });
      }
    return found;
  }
}

interface FoundCommand {
  command: SlashCommand;
  source: SlashSource;
  place: PlacedCommand['place'];
}

async function listOf(source: SlashSource, sessionId: string): Promise<PlacedCommand[]> {
  try {
    return (await source.list(sessionId)).filter(({ name }) => isSlashName(name));
  } catch {
    return [];
  }
}

function shown({ name, description, argumentHint, source, origin }: SlashCommand): SlashCommand {
  return {
    ...{ name, source, description: slashWords(description), origin: slashWords(origin) },
    ...(argumentHint === undefined || argumentHint === '' ? {} : { argumentHint: slashWords(argumentHint) }),
  };
}
