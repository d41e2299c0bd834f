/** What main asks before a key or a conversation gets to go somewhere new (docs/specs/safety.md C3, C4). Pure. */
import type { EndpointDraft } from '@shared/types';
import { BUILT_IN, isInTheClear, isThisComputer } from '@shared/policy/keys';
import type { ConsentFact, ConsentQuestion } from '../consent/consent';
import type { Keep } from './credentials';

/** Choices that let what is kept for another address go along. */
export const WITH_KEY = 'with-key';
const YES = 'yes';

/** The last characters of a key: enough to know one's own by. */
const TAIL_CHARS = 4;
const MIN_KEY_CHARS = 12;

function whereFact(origin: string): ConsentFact[] {
  if (isThisComputer(origin)) return [{ label: 'Where', value: 'this computer' }];
  if (isInTheClear(origin))
    return [
      { label: 'Unencrypted', value: 'Anyone on the network path can read and change what is sent.', warn: true },
    ];
  return [];
}

/** An endpoint gets an address that no saved one has. `before`: what it is now; `kept`: the address that its key is for. */
export function endpointQuestion(
  endpoint: EndpointDraft,
  origin: string,
  { before, kept }: { before?: string; kept?: string },
): ConsentQuestion {
  const key = kept === undefined ? [] : [{ label: 'Its key was entered for', value: kept, warn: true }];
  return {
    kind: 'endpoint-address',
    title: 'Let Espalier send to this address?',
    subject: origin,
    paragraphs: [
      'Sessions that use this endpoint’s models send it everything the model sees: messages, files and outputs.',
    ],
    facts: [
      { label: 'Endpoint', value: endpoint.name },
      ...(before === undefined ? [] : [{ label: 'Current address', value: before }]),
      ...whereFact(origin),
      ...key,
    ],
    choices:
      kept === undefined
        ? [{ id: YES, label: 'Use this address', tone: 'primary' }]
        : [
            { id: WITH_KEY, label: 'Send the key there too', tone: 'danger' },
            { id: YES, label: 'Use without the key', tone: 'primary' },
          ],
    cancel: 'Cancel',
  };
}

/** A test reaches an address that no saved endpoint has. `withKey`: the key of the form goes along. */
export function testQuestion(origin: string, withKey: boolean): ConsentQuestion {
  return {
    kind: 'endpoint-test',
    title: 'Connect to this address?',
    subject: origin,
    paragraphs: [
      withKey
        ? 'The test sends the key you entered and asks for the list of models.'
        : 'The test asks for the list of models. It sends nothing else.',
    ],
    facts: whereFact(origin),
    choices: [{ id: YES, label: 'Connect', tone: 'primary' }],
    cancel: 'Cancel',
  };
}

/** A test would send a key where it can be read on the way. */
export function testKeyQuestion(provider: string, origin: string): ConsentQuestion {
  return {
    kind: 'key-test',
    title: 'Send this key unencrypted?',
    subject: `${provider}, ${origin}`,
    paragraphs: ['The test sends the key you entered and one short question.'],
    facts: whereFact(origin),
    choices: [{ id: YES, label: 'Send unencrypted', tone: 'danger' }],
    cancel: 'Cancel',
  };
}

/** The summary endpoint gets another address. `kept`: the address that its key is for. */
export function summaryEndpointQuestion(
  origin: string,
  { before, kept }: { before?: string; kept?: string },
): ConsentQuestion {
  const key = kept === undefined ? [] : [{ label: 'Its key was entered for', value: kept, warn: true }];
  return {
    kind: 'summary-endpoint',
    title: 'Let this address write your summaries?',
    subject: origin,
    paragraphs: ['Each compaction sends it the part of the session to summarise: messages, files and outputs.'],
    facts: [
      ...(before === undefined ? [] : [{ label: 'Current address', value: before }]),
      ...whereFact(origin),
      ...key,
    ],
    choices:
      kept === undefined
        ? [{ id: YES, label: 'Use this address', tone: 'primary' }]
        : [
            { id: WITH_KEY, label: 'Send the key there too', tone: 'danger' },
            { id: YES, label: 'Use without the key', tone: 'primary' },
          ],
    cancel: 'Cancel',
  };
}

export interface NewKey {
  provider: string;
  key: string;
  keep: Keep;
  /** `BUILT_IN` or an origin. */
  address: string;
  /** There is another key now. */
  replaces: boolean;
  /** There are sessions whose words a foreign key would bring to somebody else's account. */
  hasSessions: boolean;
}

/**
 * What must be asked before a key is kept; null where nothing is new to fear: nothing has been said yet, or it goes to this
 * computer, and it is not stored or sent unencrypted.
 */
export function keyQuestion({ provider, key, keep, address, replaces, hasSessions }: NewKey): ConsentQuestion | null {
  const isPlain = keep === 'plain';
  const isOpen = address !== BUILT_IN && isInTheClear(address);
  const isForeign = hasSessions && !isThisComputer(address);
  if (!isPlain && !isOpen && !isForeign) return null;
  return {
    kind: 'key',
    title: isOpen ? 'Send this key unencrypted?' : isPlain ? 'Store this key unencrypted?' : 'Use this key?',
    subject: address === BUILT_IN ? provider : `${provider}, ${address}`,
    paragraphs: ['Conversations with its models go to the account this key belongs to.'],
    facts: [
      { label: 'Key', value: key.length < MIN_KEY_CHARS ? 'a short key' : `ends in ${key.slice(-TAIL_CHARS)}` },
      ...(replaces ? [{ label: 'Replaces', value: 'the key in use now' }] : []),
      ...(isPlain
        ? [{ label: 'Stored', value: 'in a plain text file that any of your programs can read', warn: true }]
        : []),
      ...(isOpen ? whereFact(address) : []),
    ],
    choices: [{ id: YES, label: isOpen ? 'Send unencrypted' : isPlain ? 'Store unencrypted' : 'Use this key', tone: isOpen || isPlain ? 'danger' : 'primary' }], // prettier-ignore
    cancel: 'Cancel',
  };
}
