import type { Context, Message } from '../../pi/pi-types';
import { EMPTY_FOLDER, UNTRUSTED_FOLDER } from '@shared/policy/call-outcome';
import { summarizeText } from './summary';

/** What the demo model does next: words, thoughts, at most one tool call. */
export interface DemoReply {
  thinking?: string;
  text: string;
  call?: { name: string; arguments: Record<string, unknown> };
  /** It stands for messages and is read when it is there. */
  isSummary?: true;
}

/**
 * The demo's script: it looks at the newest message only for what to do, so the same conversation always goes the same
 * way. It never claims to be more than it is.
 */
export function nextReply(context: Context): DemoReply {
  const last = context.messages.at(-1);
  if (!last) return { text: INTRODUCTION };
  if (last.role === 'toolResult') return afterTool(last.toolName, textOf(last), last.isError, context.messages);
  const asked = textOf(last);
  if (/<conversation>/.test(asked)) return { text: summarizeText(asked), isSummary: true };
  if (isTitleRequest(context)) return { text: titleOf(asked) };
  return answer(asked, context);
}

const INTRODUCTION = 'I am the demo model: a script inside Espalier, offline and free.';

function answer(asked: string, context: Context): DemoReply {
  const tools = new Set((context.tools ?? []).map((tool) => tool.name));
  const file = /(?:[`"“]([^`"”]+)[`"”]|\b((?:[\w.-]+\/)*[\w-]+\.[A-Za-z]{1,5})\b)/;
  const run = /\b(?:run|execute)\b[:\s]+(?:[`"“]([^`"”]+)[`"”]|(.+?))\s*[.!?]?\s*$/im.exec(asked);
  const command = (run?.[1] ?? run?.[2])?.trim();
  if (command && tools.has('bash')) {
    return {
      text: `I'll run that. You decide first: the card below shows the exact command.`,
      call: { name: 'bash', arguments: { command } },
    };
  }
  const named = file.exec(asked);
  const path = named?.[1] ?? named?.[2];
  if (path && /\b(write|create|save|make|put|note)\b/i.test(asked) && tools.has('write')) {
    return {
      thinking: `The person wants a file. I'll write ${path} in the workspace and let them see the change before it is made.`,
      text: `I'll write \`${path}\`. Espalier asks you before anything changes.`,
      call: { name: 'write', arguments: { path, content: contentFor(asked) } },
    };
  }
  if (path && /\b(read|open|show|look|what(?:'s| is) in)\b/i.test(asked) && tools.has('read')) {
    return { text: `Reading \`${path}\`.`, call: { name: 'read', arguments: { path } } };
  }
  if (/\b(list|files|folder|directory|workspace)\b/i.test(asked) && tools.has('ls')) {
    return { text: 'Let me look around the workspace.', call: { name: 'ls', arguments: { path: '.' } } };
  }
  if (/\b(markdown|format|table|code|math|diagram|show me what you can)\b/i.test(asked))
    return { thinking: 'A sampler shows more than a description.', text: SAMPLER };
  return { thinking: 'No tool is asked for, so I answer in words and say what I am.', text: talk(asked, context) };
}

function afterTool(tool: string, result: string, isError: boolean, messages: readonly Message[]): DemoReply {
  if (isError) {
    return {
      text: /declined/i.test(result)
        ? 'You declined that, so nothing was changed. Ask for something else, or ask again and allow it.'
        : `That did not work: ${firstLine(result)}\n\nNothing else was changed. A real model would now try another way; I am only a script.`,
    };
  }
  const lines = result.split('\n').filter((line) => line.trim() !== '').length;
  switch (tool) {
    case 'write': {
      const path = pathOfLastCall(messages);
      return { text: `Done: \`${path}\` is written. Ask me to read \`${path}\` and you'll see it come back.` };
    }
    case 'bash':
      return { text: `It ran. The last thing it printed was:\n\n\`\`\`\n${lastLine(result)}\n\`\`\`` };
    case 'read':
      return {
        text: `The file has ${lines} ${lines === 1 ? 'line' : 'lines'} with text. It begins:\n\n> ${firstLine(result)}`,
      };
    default:
      if (result.trim() === EMPTY_FOLDER) return { text: 'The folder is empty.' };
      return { text: `I found ${lines} ${lines === 1 ? 'entry' : 'entries'}. The first is \`${firstLine(result)}\`.` };
  }
}

function contentFor(asked: string): string {
  if (/haiku/i.test(asked)) return 'Branches on three wires:\nnothing pruned is ever lost,\nit waits in the leaves.\n';
  const quoted = /[:：]\s*([\s\S]+)$/.exec(asked)?.[1]?.trim();
  return `${quoted && quoted.length > 0 ? quoted : 'Written by the demo model of Espalier.'}\n`;
}

const RESTRICTED =
  'This folder is restricted, because you have not trusted it: Espalier asks before I read in it, remembers no approval of a command or a change, and leaves its guidance and its git state alone. “Review…” above the composer shows what trusting it would change.';

function talk(asked: string, { messages, systemPrompt = '' }: Context): string {
  const isRestricted = systemPrompt.includes(UNTRUSTED_FOLDER);
  const turns = messages.filter((message) => message.role === 'user').length;
  const quote = firstLine(asked).slice(0, 120);
  return [
    `${INTRODUCTION} I can't think about “${quote}”, but everything around me is real: the session is saved as you type, and tools really run once you allow them.`,
    '',
    ...(isRestricted ? [RESTRICTED, ''] : []),
    'Try one of these:',
    '',
    '- **Write a haiku to notes.md**: I ask, you allow, the file is there.',
    `- **List the files**: ${isRestricted ? 'here you are asked once, for all reading of this session.' : 'reading inside the workspace needs no question.'}`,
    '- **Run `date`**: a command, shown to you word for word first.',
    '- **Show me what you can format**: headings, tables, code, math.',
    '',
    turns > 1
      ? `This is turn ${turns} of this session.`
      : 'For a real model, add a key in Settings or start Ollama; this session can continue with it.',
  ].join('\n');
}

const SAMPLER = `Here is a sampler, streamed like any answer.

## Text
**Bold**, *italic*, ~~struck~~, \`code\`, and a [link](https://example.com/) that shows its address before it opens.

| glyph | meaning |
| --- | --- |
| ● | turn |
| ◆ | compaction |
| ◇ | branch summary |

## Code
\`\`\`ts
export function depth(node: { parent?: unknown } | undefined): number {
  let count = 0;
  for (let at = node; at; at = at.parent as typeof node) count += 1;
  return count;
}
\`\`\`

## Math
A tree of $n$ nodes has $n - 1$ edges, and

$$\\sum_{k=0}^{h} 2^k = 2^{h+1} - 1$$

## Diagram
\`\`\`mermaid
graph LR
  A[message] --> B[answer]
  B --> C[branch]
  B --> D[branch]
\`\`\`

- [x] streamed
- [ ] understood: I am a script`;

function isTitleRequest(context: Context): boolean {
  return /\btitle\b/i.test(context.systemPrompt ?? '') && (context.tools ?? []).length === 0;
}

/** Most words of a title, and courtesies that begin a request and say nothing of what it is about. */
const TITLE_WORDS = 6;
const COURTESY =
  /^(?:(?:hi|hello|hey)\b[,!.\s]*|(?:please|could you|can you|would you|let's|let us|i want to|i'd like to|we need to)\s+)+/i;
/** What a title does not end with. */
const LOOSE_END = /(?:[\s,;:.!?…"'`-]|\s(?:a|an|and|at|by|for|from|in|into|of|on|or|that|the|then|to|with))+$/i;

/** Two to six words of what was asked first, as a title: no courtesy, no Markdown, no full stop. */
function titleOf(asked: string): string {
  const excerpt = /<excerpt>([\s\S]*?)(?:<\/excerpt>|$)/.exec(asked)?.[1] ?? asked;
  const first = firstLine(excerpt)
    .replace(/[*_#`"“”>]+/g, '')
    .replace(COURTESY, '');
  const clause = /^.{8,}?(?=[.!?;:](?:\s|$))/.exec(first)?.[0] ?? first;
  const words = clause.split(/\s+/).slice(0, TITLE_WORDS).join(' ').replace(LOOSE_END, '');
  return words === '' ? 'Demo' : words.charAt(0).toUpperCase() + words.slice(1);
}
function textOf(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}
function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
function pathOfLastCall(messages: readonly Message[]): string {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== 'assistant') continue;
    const call = message.content.find((block) => block.type === 'toolCall');
    return call?.type === 'toolCall' ? String(call.arguments.path ?? 'the file') : 'the file';
  }
  return 'the file';
}
