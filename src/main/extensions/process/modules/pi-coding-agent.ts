import { createLocalBashOperations, toolCreators } from './built-in-tools';
import { convertToLlm, serializeConversation } from './conversation';
import { parseFrontmatter, stripFrontmatter } from './frontmatter';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead, truncateLine, truncateTail } from './truncate';

/** The version of pi whose API this is. */
const VERSION = '1.5.2';

const tools = ['bash', 'read', 'edit', 'write', 'grep', 'find', 'ls'] as const;

/** `pi-coding-agent` as extensions get it (EX14): our own small module of what they use of it. */
export function codingAgentFor(agentDir: string): object {
  const queues = new Map<string, Promise<unknown>>();
  return {
    VERSION,
    CONFIG_DIR_NAME: '.pi',
    getAgentDir: () => agentDir,
    ...toolCreators,
    createLocalBashOperations,
    defineTool: (tool: unknown) => tool,
    convertToLlm,
    serializeConversation,
    ...{ DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead, truncateLine, truncateTail },
    ...{ parseFrontmatter, stripFrontmatter },
    isToolCallEventType: (name: unknown, event: { toolName?: unknown }) => event.toolName === name,
    ...Object.fromEntries(
      tools.map((name) => [`is${capital(name)}ToolResult`, (event: { toolName?: unknown }) => event.toolName === name]),
    ),
    /** Changes of one file one after the other. */
    withFileMutationQueue<T>(path: string, work: () => Promise<T>): Promise<T> {
      const next = (queues.get(path) ?? Promise.resolve()).then(work, work);
      queues.set(
        path,
        next.catch(() => undefined),
      );
      return next;
    },
  };
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
