export type { ErrorName } from './errors';
export { ask, streamedText } from './drive';
export { LOOPBACK_KEY, modelsFor } from './models';
export type { LoopbackModelOptions } from './models';
export { sentContext, sentMessages } from './sent-messages';
export type { SentContext, SentMessage } from './sent-messages';
export { startModelServer } from './server';
export type * from './types';
