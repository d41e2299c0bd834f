import type { PlacedCommand, SlashCommands } from '../../slash/slash-commands';

/** Pi's words for what we call otherwise. */
const SOURCES = { extension: 'extension', template: 'prompt', skill: 'skill', mcp: 'prompt' } as const;
/** Its order. */
const ORDER = ['extension', 'template', 'mcp', 'skill'] as const;

/** What extensions are told of the commands of a session (`pi.getCommands`), in pi's shape. Never rejects. */
export async function commandFacts(slash: Pick<SlashCommands, 'placed'>, sessionId: string): Promise<object[]> {
  const all = await slash.placed(sessionId);
  return ORDER.flatMap((kind) => all.filter(({ source }) => source === kind)).map(factOf);
}

function factOf({ name, description, source, origin, place }: PlacedCommand): object {
  const { path = '', scope = 'user', root } = place ?? {};
  return {
    ...{ name, description, source: SOURCES[source] },
    sourceInfo: {
      ...{ path, scope, source: source === 'mcp' ? 'mcp' : origin, origin: 'top-level' },
      ...(root === undefined ? {} : { baseDir: root }),
    },
  };
}
