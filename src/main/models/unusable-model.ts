/** Why a model can't be asked, for the person. */
import type { Failure, ModelRef } from '@shared/types';
import { whyUnavailable } from './provider-names';

/** A new model or key is of use only together with another try. */
export function missingModel({ modelId }: ModelRef, provider: string): Failure {
  return {
    title: `${modelId} is not available`,
    detail: `${provider} no longer has a model of that name. Nothing was sent, and your message is kept. Choose another model and retry; the session continues from here.`,
    actions: ['model', 'retry', 'dismiss'],
  };
}

export function keyForAnother(name: string, problem: string): Failure {
  return {
    title: `The key for ${name} was not sent`,
    detail: `${problem} Nothing was sent, and your message is kept.`,
    actions: ['settings', 'model', 'retry', 'dismiss'],
  };
}

export function missingKey(provider: string, name: string): Failure {
  return {
    title: `No API key for ${name}`,
    detail: `${whyUnavailable(provider) ?? 'It needs a key.'} Nothing was sent, and your message is kept.`,
    actions: ['settings', 'model', 'retry', 'dismiss'],
  };
}

/** Where it is asked is not known. */
export function missingAddress(provider: string, name: string): Failure {
  const remedy =
    provider === 'azure-openai-responses'
      ? 'Set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME in the environment that Espalier is started from, and start it again.'
      : 'Check its base URL.';
  return {
    title: `No address for ${name}`,
    detail: `${remedy} Nothing was sent, and your message is kept.`,
    actions: ['settings', 'model', 'retry', 'dismiss'],
  };
}

/** The proxy for it can't be used, and nothing goes around it. */
export function unusableProxy(detail: string): Failure {
  return {
    title: 'The proxy can’t be used',
    detail: `${detail} Nothing was sent, and your message is kept.`,
    actions: ['settings', 'retry', 'dismiss'],
  };
}
