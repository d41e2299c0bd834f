import { randomUUID } from 'node:crypto';
import type { AskOptions } from './extension-ui';
import { BOUNDS } from './bounds';
import type { ExtensionAnswer, ExtensionQuestion } from '@shared/extensions/ui';

/** The longest that a timer can wait. Milliseconds. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** What is asked, without what is added to each question here. */
export type Question = ExtensionQuestion extends infer Q
  ? Q extends ExtensionQuestion
    ? Omit<Q, 'id' | 'createdAt' | 'until'>
    : never
  : never;

type Tell = (
  change: { type: 'extension_asks'; question: ExtensionQuestion } | { type: 'extension_answered'; questionId: string },
) => void;

interface Open {
  question: ExtensionQuestion;
  settle: (answer: ExtensionAnswer) => void;
}

/**
 * The open questions of the extensions of one session, oldest first. Each ends once: by its answer, by being cancelled, by its signal or
 * its time, or with its extension or its session. None is kept by the window: one that is loaded again finds them in the state.
 */
export class SessionQuestions {
  private readonly open = new Map<string, Open>();

  constructor(
    private readonly tell: Tell,
    private readonly now: () => number,
  ) {}

  list(): ExtensionQuestion[] {
    return [...this.open.values()].map(({ question }) => question);
  }

  /** Resolves with the answer; null: without one. Beyond the bound of open questions there is none. */
  ask(asked: Question, { signal, timeout }: AskOptions = {}, id: string = randomUUID()): Promise<ExtensionAnswer> {
    if (signal?.aborted || this.open.size >= BOUNDS.questions) return Promise.resolve(null);
    const createdAt = this.now();
    const waits = typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, MAX_TIMEOUT_MS) : null;
    // The compiler does not follow that each kind keeps its own fields.
    const question = {
      ...asked,
      id,
      createdAt,
      ...(waits === null ? {} : { until: createdAt + waits }),
    } as ExtensionQuestion;
    return new Promise((resolve) => {
      const cancel = (): void => this.open.get(id)?.settle(null);
      const timer = waits === null ? undefined : setTimeout(cancel, waits);
      const settle = (answer: ExtensionAnswer): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        this.open.delete(id);
        this.tell({ type: 'extension_answered', questionId: id });
        resolve(answer);
      };
      this.open.set(id, { question, settle });
      signal?.addEventListener('abort', cancel, { once: true });
      this.tell({ type: 'extension_asks', question });
    });
  }

  /** Takes the person's answer. False if the question is over, or if it is none to such a question; then it changes nothing. */
  answer(questionId: string, answer: ExtensionAnswer): boolean {
    const open = this.open.get(questionId);
    if (!open || !isAnswerTo(open.question, answer)) return false;
    open.settle(answer);
    return true;
  }

  /** Ends those of an extension, or all, without an answer. */
  end(extensionId?: string): void {
    for (const { question, settle } of [...this.open.values()])
      if (extensionId === undefined || question.extension.id === extensionId) settle(null);
  }
}

function isAnswerTo(question: ExtensionQuestion, answer: ExtensionAnswer): boolean {
  if (answer === null) return true;
  switch (question.kind) {
    case 'select':
      return typeof answer === 'number' && answer < question.options.length;
    case 'confirm':
      return typeof answer === 'boolean';
    case 'input':
    case 'editor':
      return typeof answer === 'string';
    case 'view':
      return false;
  }
}
