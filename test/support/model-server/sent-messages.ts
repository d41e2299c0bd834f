import type { CapturedRequest } from './types';

/** A message of the context as it was sent, the same shape for all wires. */
export interface SentMessage {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  thinking?: string;
  images: number;
  toolCalls?: { id: string; name: string; arguments: unknown }[];
  toolCallId?: string;
}

/** The context of a captured request. */
export interface SentContext {
  system: string;
  messages: SentMessage[];
  tools: string[];
  maxTokens: number | null;
}

type Json = Record<string, unknown>;

/** Reads system prompt, messages and tool names back out of a captured request of any wire. */
export function sentContext(request: CapturedRequest): SentContext {
  const { body } = request;
  const read = { completions: readCompletions, responses: readResponses, messages: readMessages }[request.wire];
  const cap = body.max_completion_tokens ?? body.max_tokens ?? body.max_output_tokens;
  return { ...read(body), tools: list(body.tools).map(toolName), maxTokens: typeof cap === 'number' ? cap : null };
}

/** The messages alone. */
export function sentMessages(request: CapturedRequest): SentMessage[] {
  return sentContext(request).messages;
}

function readCompletions(body: Json): Pick<SentContext, 'system' | 'messages'> {
  const all = list(body.messages);
  const isSystem = (message: Json): boolean => message.role === 'system' || message.role === 'developer';
  const messages = all
    .filter((message) => !isSystem(message))
    .map((message): SentMessage => {
      if (message.role === 'tool') {
        return { role: 'tool', text: textOf(message.content), images: 0, toolCallId: String(message.tool_call_id) };
      }
      if (message.role !== 'assistant') {
        return { role: 'user', text: textOf(message.content), images: countParts(message.content, 'image_url') };
      }
      const toolCalls = list(message.tool_calls).map((call) => {
        const fn = call.function as Json;
        return { id: String(call.id), name: String(fn.name), arguments: JSON.parse(String(fn.arguments)) as unknown };
      });
      return assistant(textOf(message.content), toolCalls, textOf(message.reasoning_content));
    });
  return {
    system: all
      .filter(isSystem)
      .map((message) => textOf(message.content))
      .join('\n'),
    messages,
  };
}

function readMessages(body: Json): Pick<SentContext, 'system' | 'messages'> {
  const messages = list(body.messages).flatMap((message): SentMessage[] => {
    const content =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : list(message.content);
    if (message.role === 'assistant') {
      const toolCalls = content
        .filter((block) => block.type === 'tool_use')
        .map((block) => ({ id: String(block.id), name: String(block.name), arguments: block.input }));
      return [assistant(textOf(content), toolCalls, content.map((block) => block.thinking ?? '').join(''))];
    }
    const results = content
      .filter((block) => block.type === 'tool_result')
      .map((block): SentMessage => {
        const images = countParts(block.content, 'image');
        return { role: 'tool', text: textOf(block.content), images, toolCallId: String(block.tool_use_id) };
      });
    const rest = content.filter((block) => block.type !== 'tool_result');
    if (rest.length === 0) return results;
    return [...results, { role: 'user', text: textOf(rest), images: countParts(rest, 'image') }];
  });
  return { system: textOf(body.system), messages };
}

/** The items of one assistant message follow each other on this wire; they are joined again. */
function readResponses(body: Json): Pick<SentContext, 'system' | 'messages'> {
  const system: string[] = [];
  const messages: SentMessage[] = [];
  const openAssistant = (): SentMessage => {
    const last = messages.at(-1);
    if (last?.role === 'assistant') return last;
    const next = assistant('', [], '');
    messages.push(next);
    return next;
  };
  for (const item of list(body.input)) {
    if (item.role === 'system' || item.role === 'developer') system.push(textOf(item.content));
    else if (item.type === 'function_call_output') {
      messages.push({
        role: 'tool',
        text: textOf(item.output),
        images: countParts(item.output, 'input_image'),
        toolCallId: String(item.call_id),
      });
    } else if (item.type === 'function_call') {
      const call = {
        id: String(item.call_id),
        name: String(item.name),
        arguments: JSON.parse(String(item.arguments)) as unknown,
      };
      const message = openAssistant();
      message.toolCalls = [...(message.toolCalls ?? []), call];
    } else if (item.type === 'reasoning') {
      const message = openAssistant();
      message.thinking = (message.thinking ?? '') + textOf(item.summary);
    } else if (item.role === 'assistant') {
      openAssistant().text += textOf(item.content);
    } else {
      messages.push({ role: 'user', text: textOf(item.content), images: countParts(item.content, 'input_image') });
    }
  }
  return { system: system.join('\n'), messages };
}

function assistant(text: string, toolCalls: NonNullable<SentMessage['toolCalls']>, thinking: string): SentMessage {
  return {
    role: 'assistant',
    text,
    images: 0,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(thinking ? { thinking } : {}),
  };
}

function toolName(tool: Json): string {
  return String((tool.function as Json | undefined)?.name ?? tool.name);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => (typeof part.text === 'string' ? part.text : ''))
    .join('');
}

function countParts(content: unknown, type: string): number {
  return list(content).filter((part) => part.type === type).length;
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}
