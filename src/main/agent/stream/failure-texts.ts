import { PROXY_FAILED } from '../../network/proxy-fetch';
import type { WireFailureKind } from './types';

/** What a person reads for each failure that only the wire shows. Stored as the reply's `errorMessage`. */
export const FAILURE_TEXTS: Record<WireFailureKind, string> = {
  connection: 'The connection to the model could not be made.',
  proxy: PROXY_FAILED,
  'cut-stream': "The connection ended before the model's reply was complete.",
  'first-byte-timeout': 'The model did not begin to answer in time.',
  'idle-timeout': 'The model stopped sending in the middle of its reply.',
  'total-timeout': "The model's reply took longer than the limit and was stopped.",
  'line-too-long': 'The endpoint sent a single line over the size limit; the reply was stopped.',
  'too-many-bytes': 'The reply grew over the size limit and was stopped.',
  redirect: 'The endpoint redirects to another address. Check the base URL.',
  'web-page': "The endpoint answered with a web page, not with a model's stream. Check the base URL.",
  'not-a-stream': "The endpoint did not answer with a model's stream. Check the base URL and the kind of endpoint.",
  'content-filter': "The provider's content filter ended the reply.",
  'bad-reply': "The endpoint sent something that is no model's reply, so it was stopped.",
  'reply-fault': 'The part of the app that talks to models could not read this reply, so it was stopped.',
  'worker-crash': 'The part of the app that talks to models stopped unexpectedly and was restarted.',
  'worker-crash-again':
    'The part of the app that talks to models stopped twice at this request, so it is not sent again by itself.',
};
