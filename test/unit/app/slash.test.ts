import { describe, expect, it } from 'vitest';
import { readSlash } from '../../../src/renderer/actions/menus';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import type { LiveSession } from '../../../src/shared/session-state/state';
import type { SessionSummary } from '../../../src/shared/types';
import { createMemoryStore } from '../../support/memory-store';
import { NO_PAGE } from '../../../src/renderer/state/page';

const ID = 'session';

/** An app with a session that is shown, or with none. */
function openApp(live: Partial<LiveSession> | null = { leafId: 'last' }): App {
  const client = { request: () => new Promise(() => undefined), onEvents: () => () => undefined } as unknown as Client;
  const app = createApp({ client, local: createMemoryStore(), now: () => 0, page: NO_PAGE });
  if (!live) return app;
  app.sessions.setState({ byId: { [ID]: { id: ID, title: 'A', state: 'idle' } as SessionSummary }, activeId: ID });
  app.openSession(ID).live.setState(live);
  return app;
}

describe('CM3: a text that is a command', () => {
  const app = openApp();
  it.each([
    ['/name Other', 'session.rename', 'Other'],
    ['  /new ', 'session.new', ''],
    ['/NAME Other', 'session.rename', 'Other'],
    ['/handoff fix it\nand test it', 'branch.handoff', 'fix it\nand test it'],
  ])('%s', (text, id, argument) => {
    expect(readSlash(app, text)).toEqual({ id, argument });
  });

  it.each(['hello', '/', '/ compact', '/usr/bin is full', '/etc/hosts', 'see /compact', '//compact', '/2 of them', ''])(
    'is no command: %s',
    (text) => expect(readSlash(app, text)).toBeNull(),
  );
});

describe('CM4: what is no command, or cannot act, is not sent', () => {
  it.each([
    ['/compct', 'No command /compct. Did you mean /compact?', '/compact'],
    ['/Handof the parser\nand more', 'No command /Handof. Did you mean /handoff?', '/handoff the parser\nand more'],
    ['/lable plan v2', 'No command /lable. Did you mean /label?', '/label plan v2'],
    ['/constructor', 'No command /constructor.', undefined],
    ['/usr is full', 'No command /usr.', undefined],
    ['/übersicht', 'No command /übersicht.', undefined],
  ])('%s', (text, why, meant) => {
    expect(readSlash(openApp(), text)).toEqual({ why, meant, canBeSent: true });
  });

  it('a command that takes one line is a message where it has several, if the person says so', () => {
    expect(readSlash(openApp(), '/label one\ntwo')).toEqual({ why: '/label takes one line.', canBeSent: true });
  });

  it.each(['/fork', '/handoff goal', '/clear', '/label x', '/compact', '/compact focus'])(
    'without messages, %s says so',
    (text) => {
      const refusal = { why: 'This session has no messages yet.', canBeSent: false };
      expect(readSlash(openApp({ leafId: null }), text)).toEqual(refusal);
    },
  );

  it('while something else is under way it says what to wait for', () => {
    const refusal = (text: string): unknown => readSlash(openApp({ leafId: 'last', phase: 'running' }), text);
    const wait = (doing: string): unknown => ({
      why: `Wait for the current response to finish before ${doing}.`,
      canBeSent: false,
    });
    expect(refusal('/handoff goal')).toEqual(wait('handing off'));
    expect(refusal('/clear')).toEqual(wait('navigating the session tree'));
  });

  it('without a session it says that nothing can be done', () => {
    expect(readSlash(openApp(null), '/fork')).toEqual({ why: '/fork can’t do anything here now.', canBeSent: false });
  });
});
