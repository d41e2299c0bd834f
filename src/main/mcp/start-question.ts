import { isKeyName } from '../environment/keys';
import { isInTheClear } from '@shared/policy/keys';
import type { ConsentFact, ConsentQuestion } from '../consent/consent';
import { type McpDefinition, variablesOf } from './config/definition';
import type { FoundServer } from './servers';

const HIDDEN = '•••• (hidden)';
const SECRET_HEADER = /auth|key|token|secret|cookie/i;

/** What a person is asked before a server is started for the first time, and each time that its definition is another (EX20). */
export function startQuestion({ name, definition, origin }: FoundServer, folder: string): ConsentQuestion {
  const isProgram = definition.kind === 'stdio';
  return {
    kind: 'mcp-server',
    title: isProgram ? 'Start this MCP server?' : 'Connect to this MCP server?',
    subject: name,
    paragraphs: [
      isProgram
        ? 'It is a program that runs with your rights, in the folder of each session, for as long as the session is open. Start it if you know who made it.'
        : 'What the agent tells its tools goes to this address. Connect to it if you know whose it is.',
      'The agent can then use its tools; each call is asked for. If the entry changes, Espalier asks again.',
    ],
    facts: [
      { label: 'From', value: origin.folder === undefined ? origin.file : `${origin.file} in ${origin.folder}` },
      ...factsOf(definition, folder),
    ],
    choices: [{ id: 'start', label: isProgram ? 'Start it' : 'Connect', tone: 'primary' }],
    cancel: 'Not now',
  };
}

function factsOf(definition: McpDefinition, folder: string): ConsentFact[] {
  const variables = variablesOf(definition).map((name): ConsentFact => ({
    label: 'Reads your variable',
    value: name,
    warn: isKeyName(name),
  }));
  if (definition.kind === 'http') {
    const inTheClear = isInTheClear(definition.url.trim().toLowerCase());
    const headers = Object.entries(definition.headers).map(([name, value]) => ({
      label: 'Sends',
      value: `${name}: ${SECRET_HEADER.test(name) && !value.includes('${') ? HIDDEN : value}`,
    }));
    const warning = { label: 'Not encrypted', value: 'What is sent there can be read on the way.', warn: true };
    return [{ label: 'Address', value: definition.url }, ...(inTheClear ? [warning] : []), ...headers, ...variables];
  }
  const env = Object.entries(definition.env).map(([name, value]) => ({
    label: 'Sets',
    value: `${name}=${isKeyName(name) && !value.includes('${') ? HIDDEN : value}`,
  }));
  return [
    { label: 'Runs', value: commandLine(definition) },
    { label: 'In', value: definition.cwd ?? folder },
    ...env,
    ...variables,
  ];
}

/** As one would type it. */
export function commandLine({ command, args }: { command: string; args: readonly string[] }): string {
  return [command, ...args]
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** What a person is asked before calls run unasked because the server says that they change nothing. */
export function readOnlyQuestion({ name, origin }: FoundServer, tools: readonly string[]): ConsentQuestion {
  return {
    kind: 'mcp-read-only',
    title: 'Believe what this server says of its tools?',
    subject: name,
    paragraphs: [
      'The server marks some of its tools as read-only. If you believe it, calls of these run without a question, in every session, and so do those that it marks later.',
      'Nobody but the server knows whether that is true.',
    ],
    facts: [
      { label: 'From', value: origin.folder === undefined ? origin.file : `${origin.file} in ${origin.folder}` },
      { label: 'Marked now', value: tools.length === 0 ? 'none' : tools.join(', ') },
    ],
    choices: [{ id: 'believe', label: 'Run them unasked', tone: 'danger' }],
    cancel: 'Keep asking',
  };
}
