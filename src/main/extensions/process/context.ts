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
    shutdown: () => link.tell('ui', 'notify', ['An extension asked to quit. Quit Espalier yourself to do so.', 'info']),
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
  /** `withSession` and `setup` are run with what there is: a context of another session belongs to that one's instance. */
  const replace = async (method: string, ...args: unknown[]): Promise<unknown> => {
    const replaced = await ask(method, ...args.map((arg) => toWire(arg)));
    return { cancelled: !isRecord(replaced) || replaced.cancelled !== false };
  };
  return Object.defineProperties(contextOf(parts), {
    ...Object.getOwnPropertyDescriptors({
      getSystemPromptOptions: () => ({ cwd: facts().cwd, selectedTools: [...facts().activeTools] }),
      waitForIdle: () => ask('waitForIdle'),
      newSession: (options?: unknown) => replace('newSession', options),
      fork: (entryId: unknown, options?: unknown) => replace('fork', entryId, options),
      navigateTree: (targetId: unknown, options?: unknown) => replace('navigateTree', targetId, options),
      switchSession: (file: unknown) => replace('switchSession', file),
      reload: () => ask('reload'),
    }),
  }) as object;
}

/** The `ctx` of a tool. Other tools are not called from tools here. */
export function toolContextOf(parts: ContextParts): object {
  return Object.assign(contextOf(parts), {
    tools: [],
    executeTool: () => Promise.reject(new Error('ctx.executeTool is not available in Espalier.')),
  });
}
