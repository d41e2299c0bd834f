import { isRecord } from '@shared/checks';
import type { ContextParts } from './instance-parts';
import { modelRegistryOf } from './model-registry';
import { toWire } from './to-wire';
import { makeUi } from './ui';

/** The `ctx` of event handlers (EX8, EX15): what is read is the mirror's, what acts goes to main. */
export function contextOf(parts: ContextParts): object {
  const { extension, link, facts, view } = parts;
  const ask = (method: string, ...args: unknown[]): Promise<unknown> => {
    link.assertFresh();
    return link.ask('door', method, args);
  };
  const act = (method: string, ...args: unknown[]): void => {
    void ask(method, ...args).catch((error: unknown) => link.report(`ctx.${method}`, error));
  };
  return {
    ui: makeUi(parts),
    mode: extension.mode,
    hasUI: true,
    get cwd() {
      return facts().cwd;
    },
    sessionManager: view,
    modelRegistry: modelRegistryOf(parts.models),
    get model() {
      return facts().model;
    },
    scopedModels: [],
    get thinkingLevel() {
      return facts().thinkingLevel;
    },
    isIdle: () => facts().isIdle,
    isProjectTrusted: () => facts().isTrusted,
    get signal() {
      return facts().isIdle ? undefined : parts.signal();
    },
    abort: () => act('abort'),
    hasPendingMessages: () => facts().hasPending,
    // The app is the person's: an extension does not end it.
    shutdown: () => link.notify('An extension asked to quit. Quit Espalier yourself to do so.', 'info'),
    getContextUsage: () => facts().contextUsage,
    compact: (options: unknown) => compact(ask, options, (error) => link.report('ctx.compact', error)),
    getSystemPrompt: () => facts().systemPrompt,
  };
}

function compact(ask: Ask, options: unknown, onError: (error: unknown) => void): void {
  const { customInstructions, onComplete, onError: failed } = isRecord(options) ? options : {};
  const given = customInstructions === undefined ? {} : { customInstructions };
  const done = typeof onComplete === 'function' ? onComplete : () => undefined;
  const fail = typeof failed === 'function' ? failed : onError;
  void ask('compact', toWire(given))
    .then(
      (result) => done(result),
      (error: unknown) => fail(error),
    )
    .catch(onError);
}

type Ask = (method: string, ...args: unknown[]) => Promise<unknown>;

/** The `ctx` of commands: it may also change which session there is. */
export function commandContextOf(parts: ContextParts): object {
  const { link, facts } = parts;
  const ask: Ask = (method, ...args) => {
    link.assertFresh();
    return link.ask('door', method, args);
  };
  /** `withSession` gets the context of the extension's own instance in the session that is shown now. */
  const replace = async (method: string, options: unknown, ...args: unknown[]): Promise<unknown> => {
    const { withSession, ...plain } = isRecord(options) ? options : {};
    const given = method === 'switchSession' ? args : [...args, isRecord(options) ? plain : undefined];
    const replaced = await ask(method, ...given.map((arg) => toWire(arg)));
    const { cancelled, sessionId } = isRecord(replaced) ? replaced : {};
    if (cancelled !== false) return { cancelled: true };
    if (typeof withSession === 'function') {
      const there = await parts.inSession(String(sessionId));
      await withSession(replacedContextOf(there));
    }
    return { cancelled: false };
  };
  return Object.defineProperties(contextOf(parts), {
    ...Object.getOwnPropertyDescriptors({
      getSystemPromptOptions: () => ({ cwd: facts().cwd, selectedTools: [...facts().activeTools] }),
      waitForIdle: () => ask('waitForIdle'),
      newSession: (options?: unknown) => replace('newSession', options),
      fork: (entryId: unknown, options?: unknown) => replace('fork', options, entryId),
      navigateTree: (targetId: unknown, options?: unknown) => replace('navigateTree', options, targetId),
      switchSession: (file: unknown, options?: unknown) => replace('switchSession', options, file),
      reload: () => ask('reload'),
    }),
  }) as object;
}

/** The `ctx` that `withSession` gets: it can also say something there. */
function replacedContextOf(parts: ContextParts): object {
  const door = (method: string, ...args: unknown[]): Promise<unknown> => {
    parts.link.assertFresh();
    return parts.link.ask(
      'door',
      method,
      args.map((arg) => toWire(arg)),
    );
  };
  return Object.assign(commandContextOf(parts), {
    sendMessage: (message: unknown, options?: unknown) => door('sendMessage', message, options),
    sendUserMessage: (content: unknown, options?: unknown) => door('sendUserMessage', content, options),
  });
}

/** The `ctx` of a tool. Other tools are not called from tools here. */
export function toolContextOf(parts: ContextParts): object {
  return Object.assign(contextOf(parts), {
    tools: [],
    executeTool: () => Promise.reject(new Error('ctx.executeTool is not available in Espalier.')),
  });
}
