import { isRecord } from '@shared/checks';

/** Of a result of a tool, in a conversation that is written out. Characters. */
const MAX_RESULT = 2000;

/** Messages as a model gets them: our own roles become words of the user, or are left out. */
export function convertToLlm(messages: readonly unknown[]): unknown[] {
  return messages.flatMap((message) => {
    if (!isRecord(message)) return [];
    const { role, timestamp } = message;
    const said = (text: string): unknown[] => [{ role: 'user', content: [{ type: 'text', text }], timestamp }];
    if (role === 'user' || role === 'assistant' || role === 'toolResult') return [message];
    if (role === 'custom') {
      const { content } = message;
      return [
        { role: 'user', content: typeof content === 'string' ? [{ type: 'text', text: content }] : content, timestamp },
      ];
    }
    if (role === 'bashExecution')
      return message.excludeFromContext === true
        ? []
        : said(`Ran \`${String(message.command)}\`\n\`\`\`\n${String(message.output)}\n\`\`\``);
    if (role === 'branchSummary') return said(`Summary of a branch that was left:\n\n${String(message.summary)}`);
    if (role === 'compactionSummary') return said(`Summary of what came before:\n\n${String(message.summary)}`);
    return [];
  });
}

/** A conversation as text, for a model that is asked about it and must not go on with it. */
export function serializeConversation(messages: readonly unknown[]): string {
  return messages.flatMap((message) => (isRecord(message) ? linesOf(message) : [])).join('\n\n');
}

function linesOf(message: Record<string, unknown>): string[] {
  const blocks = Array.isArray(message.content) ? message.content.filter(isRecord) : [];
  const text =
    typeof message.content === 'string'
      ? message.content
      : blocks.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])).join('\n');
  if (message.role === 'user') return text === '' ? [] : [`[User]: ${text}`];
  if (message.role === 'toolResult') {
    const cut =
      text.length > MAX_RESULT
        ? `${text.slice(0, MAX_RESULT)}\n[... ${text.length - MAX_RESULT} more characters]`
        : text;
    return cut === '' ? [] : [`[Tool result]: ${cut}`];
  }
  if (message.role !== 'assistant') return [];
  const thought = blocks.flatMap((block) => (block.type === 'thinking' ? [String(block.thinking)] : [])).join('\n');
  const calls = blocks.flatMap((block) => {
    if (block.type !== 'toolCall') return [];
    const args = Object.entries(isRecord(block.arguments) ? block.arguments : {});
    return [`${String(block.name)}(${args.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(', ')})`];
  });
  return [
    ...(thought === '' ? [] : [`[Assistant thinking]: ${thought}`]),
    ...(text === '' ? [] : [`[Assistant]: ${text}`]),
    ...(calls.length === 0 ? [] : [`[Assistant tool calls]: ${calls.join('; ')}`]),
  ];
}
