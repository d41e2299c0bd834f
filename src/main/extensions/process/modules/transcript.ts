import { isRecord } from '@shared/checks';

/** A request as code for pi 1.5 reads it: prompt and tools by the list of messages, which has none of them in it here. */
interface Said {
  systemPrompt: string | undefined;
  tools: unknown[];
}

const known = new WeakMap<object, Said>();

/** A context that prompt and tools can be asked of by its messages. The same one. */
export function contextWithPrompt(context: unknown): unknown {
  if (!isRecord(context) || !Array.isArray(context.messages)) return context;
  const { systemPrompt, tools, messages } = context;
  known.set(messages, {
    systemPrompt: typeof systemPrompt === 'string' ? systemPrompt : undefined,
    tools: Array.isArray(tools) ? tools : [],
  });
  return context;
}

const saidIn = (messages: unknown): Said | undefined => (Array.isArray(messages) ? known.get(messages) : undefined);

/** Names of pi-ai 1.5 that read a transcript. */
export const transcript = {
  getCurrentSystemPrompt: (messages: unknown) => saidIn(messages)?.systemPrompt,
  getCurrentTools: (messages: unknown) => [...(saidIn(messages)?.tools ?? [])],
  // There are no system messages in mid-conversation.
  collapseSystemMessages: (context: unknown) => context,
};
