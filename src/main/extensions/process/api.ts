import { isRecord } from '@shared/checks';
import type { ContextParts } from './instance-parts';
import { exec } from './exec';
import { toWire } from './to-wire';
import { registerProvider } from './providers';
import type { StreamSimple } from './streams';
import type { WireProvider, WireTool } from './wire';

type AnyFunction = (...args: unknown[]) => unknown;

interface ToolDefinition {
  parameters?: unknown;
  execute: AnyFunction;
  prepareArguments?: (args: unknown) => unknown;
}

/** What an extension has registered. */
export interface Registered {
  handlers: Map<number, { event: string; handle: AnyFunction }>;
  tools: Map<string, { wire: WireTool; definition: ToolDefinition }>;
  commands: Map<string, { description: string; handler: AnyFunction }>;
  flags: Map<string, boolean | string | undefined>;
  providers: Map<string, WireProvider>;
  /** Code of providers that stream by themselves. */
  streams: Map<string, StreamSimple>;
  /** Of messages, by their types. */
  renderers: Map<string, AnyFunction>;
}

/** Of everything that an extension may register. */
const MAX_REGISTERED = 500;

let lastHandler = 0;

/** The `pi` that a factory gets (EX15). `docs/extensions.md` lists its members. */
export function makeApi(parts: ContextParts, registered: Registered): object {
  const { link, facts, events } = parts;
  const door = (method: string, ...args: unknown[]): Promise<unknown> => {
    link.assertFresh();
    return link.ask('door', method, args);
  };
  /** For members that return nothing: what goes wrong is reported. */
  const act = (method: string, ...args: unknown[]): void => {
    void door(method, ...args).catch((error: unknown) => link.report(`pi.${method}`, error));
  };
  const nothing = (): void => link.assertFresh();
  const bounded = (map: Map<unknown, unknown>, what: string): void => {
    link.assertFresh();
    if (map.size >= MAX_REGISTERED) throw new RangeError(`An extension may register ${MAX_REGISTERED} ${what}.`);
  };
  return {
    on(event: unknown, handler: unknown) {
      if (typeof event !== 'string' || typeof handler !== 'function')
        throw new TypeError('pi.on takes the name of an event and a function.');
      bounded(registered.handlers, 'handlers');
      const id = ++lastHandler;
      registered.handlers.set(id, { event, handle: handler as AnyFunction });
      link.registered();
      return () => {
        if (registered.handlers.delete(id)) link.registered();
      };
    },
    registerTool(tool: unknown) {
      bounded(registered.tools, 'tools');
      const wire = wireTool(tool);
      registered.tools.set(wire.name, { wire, definition: tool as ToolDefinition });
      link.registered();
    },
    registerCommand(name: unknown, options: unknown) {
      bounded(registered.commands, 'commands');
      const { description = '', handler } = isRecord(options) ? options : {};
      if (typeof name !== 'string' || typeof handler !== 'function')
        throw new TypeError('pi.registerCommand takes a name and { description, handler }.');
      registered.commands.set(name, { description: String(description), handler: handler as AnyFunction });
      link.registered();
    },
    registerFlag(name: unknown, options: unknown) {
      bounded(registered.flags, 'flags');
      const value = isRecord(options) ? options.default : undefined;
      registered.flags.set(String(name), value as boolean | string | undefined);
    },
    getFlag: (name: unknown) => registered.flags.get(String(name)),
    registerShortcut: nothing,
    registerMessageRenderer(type: unknown, render: unknown) {
      bounded(registered.renderers, 'renderers');
      if (typeof render !== 'function') throw new TypeError('pi.registerMessageRenderer takes a type and a function.');
      registered.renderers.set(String(type), render as AnyFunction);
      link.registered();
    },
    registerEntryRenderer: nothing,
    registerToolRenderer: nothing,
    registerMarkdownTransformer: nothing,
    sendMessage: (message: unknown, options?: unknown) => act('sendMessage', toWire(message), toWire(options)),
    sendUserMessage: (content: unknown, options?: unknown) => act('sendUserMessage', toWire(content), toWire(options)),
    appendEntry: (customType: unknown, data?: unknown) => act('appendEntry', customType, toWire(data)),
    setSessionName: (name: unknown) => act('setName', name),
    getSessionName: () => facts().name,
    setLabel: (entryId: unknown, label: unknown) => act('setLabel', entryId, label),
    exec: (command: string, args: readonly string[], options?: object) => {
      link.assertFresh();
      return exec(command, args, { cwd: facts().cwd, ...options });
    },
    getActiveTools: () => [...facts().activeTools],
    getAllTools: () => structuredClone([...facts().allTools]),
    setActiveTools: (names: unknown) => act('setActiveTools', toWire(names)),
    getCommands: () => structuredClone([...facts().commands]),
    setModel: async (model: unknown) => (await door('setModel', refOf(model))) === true,
    getThinkingLevel: () => facts().thinkingLevel,
    setThinkingLevel: (level: unknown) => act('setThinkingLevel', level),
    getSettings: () => ({}),
    events: { on: events.on, emit: events.emit },
    registerProvider(given: unknown, config: unknown) {
      bounded(registered.providers, 'providers');
      registerProvider(registered.providers, registered.streams, link, given, config);
    },
    unregisterProvider(id: unknown) {
      link.assertFresh();
      if (registered.providers.delete(String(id))) link.registered();
    },
    ...notYet(parts.extension.name, ['registerMcpServer', 'unregisterMcpServer']),
    ...notYet(parts.extension.name, ['registerVirtualModel', 'unregisterVirtualModel', 'getMcpServers']),
  };
}

/** Members that Espalier does not have: using one throws in words. */
function notYet(extension: string, names: readonly string[]): Record<string, () => never> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      () => {
        throw new Error(`pi.${name} is not available in Espalier; the extension “${extension}” uses it.`);
      },
    ]),
  );
}

function refOf(model: unknown): unknown {
  const { provider, id } = isRecord(model) ? model : {};
  return { provider, modelId: id };
}

function wireTool(tool: unknown): WireTool {
  if (!isRecord(tool) || typeof tool.name !== 'string' || typeof tool.execute !== 'function')
    throw new TypeError('pi.registerTool takes { name, description, parameters, execute }.');
  const { name, label, description, parameters, promptSnippet, promptGuidelines, annotations } = tool;
  const schema = isRecord(parameters) ? toWire(parameters) : { type: 'object', properties: {} };
  return {
    name,
    label: typeof label === 'string' ? label : name,
    description: typeof description === 'string' ? description : '',
    parameters: schema as Record<string, unknown>,
    ...(typeof promptSnippet === 'string' ? { promptSnippet } : {}),
    ...(Array.isArray(promptGuidelines) ? { promptGuidelines: promptGuidelines.map(String) } : {}),
    isPrepared: typeof tool.prepareArguments === 'function',
    isSequential: tool.executionMode === 'sequential',
    isOff: tool.defaultActive === false,
    readOnlyHint: isRecord(annotations) && annotations.readOnlyHint === true,
  };
}
