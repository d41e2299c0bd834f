import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '@shared/checks';
import type { SlashSource } from '../../slash/slash-commands';
import type { WireTool } from '../process/wire';
import type { OutsideResult, OutsideTool, ToolSource } from '../tool-source';
import type { ExtensionRunner } from './extension-host';
import type { ScopeHost } from './scope-host';
import type { SessionExtension } from './session-extension';

/** A command that fails by then leaves its text in the field. Milliseconds. */
const SHORT_MS = 300;

/** Names of ours that an extension may take: pi lets it put a tool in the place of a built-in one. */
const MAY_OVERRIDE = new Set(['read', 'write', 'edit', 'bash', 'grep', 'find', 'ls']);

/** Tools that extensions have registered (EX15). */
export function toolSource(runner: ExtensionRunner): ToolSource {
  return {
    toolsOf: (sessionId) =>
      runner
        .extensionsOf(sessionId)
        .flatMap(({ extension, scope }) => extension.tools.map((tool) => outsideTool(extension, scope, tool))),
  };
}

function outsideTool(extension: SessionExtension, scope: ScopeHost, tool: WireTool): OutsideTool {
  const { name, isSequential, isOff, readOnlyHint, ...rest } = tool;
  return {
    ...{ ...rest, name, isSequential, isOff, readOnlyHint },
    origin: { kind: 'extension', name: extension.extension.name },
    source: extension.extension.id,
    ...(MAY_OVERRIDE.has(name) ? { overrides: true } : {}),
    async execute(_callId, args, signal, onUpdate) {
      const tell = (partial: unknown): void => onUpdate(resultOf(partial));
      return resultOf(await scope.calls.runTool(extension, name, { args, signal, onUpdate: tell }));
    },
  };
}

/** A result as pi's types have it; what else a tool returns is its text. */
function resultOf(value: unknown): OutsideResult {
  if (!isRecord(value) || !Array.isArray(value.content)) return { content: [{ type: 'text', text: wordsOf(value) }] };
  const { content, details, isError, terminate } = value;
  return {
    content: content.filter(isRecord) as unknown as OutsideResult['content'],
    ...(details === undefined ? {} : { details }),
    ...(isError === true ? { isError: true } : {}),
    ...(terminate === true ? { terminate: true } : {}),
  };
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'It returned nothing.');
}

/** Commands that extensions have registered. A name that two have is the first one's, and `name:1` the second's, as in pi. */
export function commandSource(runner: ExtensionRunner): SlashSource {
  const commandsOf = (sessionId: string) => {
    const seen = new Map<string, number>();
    return runner.extensionsOf(sessionId).flatMap(({ extension, scope }) =>
      extension.commands.map(({ name, description }) => {
        const times = seen.get(name) ?? 0;
        seen.set(name, times + 1);
        return { shown: times === 0 ? name : `${name}:${times}`, name, description, extension, scope };
      }),
    );
  };
  return {
    list: (sessionId) =>
      commandsOf(sessionId).map(({ shown, description, extension }) => ({
        ...{ name: shown, description, source: 'extension' as const, origin: extension.extension.name },
        place: { path: extension.extension.path, scope: extension.extension.scope, root: extension.extension.root },
      })),
    async run(sessionId, name, args) {
      const found = commandsOf(sessionId).find(({ shown }) => shown === name);
      if (!found) return null;
      const work = found.scope.calls.runCommand(found.extension, found.name, args);
      // One that asks the person, or works for long, leaves them their field meanwhile: what fails later is reported.
      work.catch(() => undefined);
      await Promise.race([work, sleep(SHORT_MS)]);
      return { done: true };
    },
  };
}
