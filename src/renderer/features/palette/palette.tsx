import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { Command as Cmdk, useCommandState } from 'cmdk';
import type { SearchAnswer, SearchHit } from '@shared/search/types';
import { readQuery } from '@shared/search/words';
import type { SessionSummary } from '@shared/types';
import { actHere, keysOf, paletteOf } from '../../actions/menus';
import { showFound } from '../../actions/ways';
import { useApp, useSessions, useUi } from '../../state/hooks';
import { foldText } from '../../state/session-groups';
import { shownTitle, titleOf } from '../../state/sessions-store';
import { Dialog, Kbd, Visible } from '../../ui';
import styles from './palette.module.css';

/** What a text that is not the name of its item counts beside one that is. */
const ASIDE = 0.5;

/**
 * How well an item of the palette fits what was typed: 0 not at all, 1 is its name. `names`: by which it is called; `asides`: what else is
 * said of it. Never by its id, which nobody sees (WN8).
 */
export function rankOf(typed: string, names: readonly string[], asides: readonly string[] = []): number {
  const query = foldText(typed);
  if (query === '') return 1;
  const best = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => fit(foldText(text), query)));
  return Math.max(best(names), best(asides) * ASIDE);
}

function fit(text: string, query: string): number {
  if (text === query) return 1;
  if (text.startsWith(query)) return 0.9;
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const asked = query.split(' ');
  if (asked.every((part) => words.some((word) => word.startsWith(part)))) return 0.8;
  if (
    query.length > 1 &&
    words
      .map(([first]) => first)
      .join('')
      .startsWith(query)
  )
    return 0.7;
  return text.includes(query) ? 0.4 : 0;
}

/** Sessions in the list: while nothing is typed the newest ones, then those of all that fit best. */
const MAX_SESSIONS = 50;

/** Of all sessions those that the list offers, the best first, of equal ones the newest (WN8). O(sessions). */
export function offeredSessions(all: readonly SessionSummary[], typed: string): SessionSummary[] {
  const ranked = all
    .map((session) => ({ session, rank: rankOf(typed, [titleOf(session)], [session.preview]) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || b.session.updatedAt - a.session.updatedAt);
  return ranked.slice(0, MAX_SESSIONS).map(({ session }) => session);
}

/** Every action with its shortcut, sessions, and messages of any session, in one searchable list (WN8). */
export function Palette() {
  const app = useApp();
  const open = useUi((ui) => ui.palette);
  const setOpen = (palette: boolean): void => app.ui.setState({ palette });
  return (
    <Dialog open={open} onOpenChange={setOpen} title="Command palette" hideTitle flush width={560}>
      <PaletteList onDone={() => setOpen(false)} />
    </Dialog>
  );
}

function PaletteList({ onDone }: { onDone: () => void }) {
  const app = useApp();
  // An action may open another dialog or move the focus: this one closes and gives the focus back first.
  const act = (run: () => void): void => {
    onDone();
    requestAnimationFrame(() => setTimeout(run));
  };
  return (
    <Cmdk label="Commands" loop className={styles.command} filter={rankItem}>
      <Cmdk.Input className={styles.search} placeholder="What do you want to do?" />
      <Cmdk.List className={styles.list}>
        {paletteOf(app).map(({ group, actions }) => (
          <Cmdk.Group key={group} heading={group} className={styles.group}>
            {actions.map(({ id, label, slash }) => (
              <Cmdk.Item
                key={id}
                value={id}
                keywords={[label, slash ? `/${slash}` : '', '']}
                className={styles.item}
                onSelect={() => act(() => actHere(app, id))}
              >
                <span className={styles.title}>{label}</span>
                {slash && <code className={styles.slash}>/{slash}</code>}
                {keysOf(app, id) && <Kbd>{keysOf(app, id)}</Kbd>}
              </Cmdk.Item>
            ))}
          </Cmdk.Group>
        ))}
        <SessionItems onChoose={(id) => act(() => app.activate(id))} />
        <MessageItems onChoose={(found) => act(() => showFound(app, found.sessionId, found.hit))} />
      </Cmdk.List>
    </Cmdk>
  );
}

/** Messages come behind all that is called like what was typed: the index has found them by its own rules (SE2). */
const MESSAGE_RANK = 0.01;
const MESSAGE = 'message ';

/** The last of the keywords is what else is said of an item. */
function rankItem(id: string, typed: string, keywords: string[] = []): number {
  if (id.startsWith(MESSAGE)) return MESSAGE_RANK;
  return rankOf(typed, keywords.slice(0, -1), keywords.slice(-1));
}

function SessionItems({ onChoose }: { onChoose: (id: string) => void }) {
  const byId = useSessions((state) => state.byId);
  // A list of thousands is not ranked before the field shows what was typed.
  const typed = useDeferredValue(useCommandState((state) => state.search));
  const offered = useMemo(() => offeredSessions(Object.values(byId), typed), [byId, typed]);
  return (
    <Cmdk.Group heading="Go to session" className={styles.group}>
      {offered.map((session) => (
        <Cmdk.Item
          key={session.id}
          value={`session ${session.id}`}
          keywords={[titleOf(session), session.preview]}
          className={styles.item}
          onSelect={() => onChoose(session.id)}
        >
          <span className={styles.title}>{shownTitle(session)}</span>
        </Cmdk.Item>
      ))}
    </Cmdk.Group>
  );
}

/** After the last key. */
const TYPING_MS = 150;
/** Messages that are offered; Search everything has the rest. */
const MAX_MESSAGES = 8;
/** The longest question that the search takes, characters. */
const MOST_QUERY = 500;

interface FoundMessage {
  sessionId: string;
  hit: SearchHit;
}

const HOW = { exact: false, matchCase: false };

/** What the index answers to what was typed, once nobody types; null while its answer to just that is awaited. */
function useFound(query: string): readonly FoundMessage[] | null {
  const { client } = useApp();
  const [found, setFound] = useState<{ query: string; messages: FoundMessage[] }>({ query: '', messages: [] });
  const asks = query.trim().length >= 2 && readQuery(query, HOW) !== null;
  useEffect(() => {
    if (!asks) return;
    const asked = { query, ...HOW };
    let isWanted = true;
    const timer = setTimeout(() => {
      client.request('search.all', asked).then(
        ({ sessions }: SearchAnswer) => {
          const messages = sessions.flatMap(({ sessionId, hits }) => hits.map((hit) => ({ sessionId, hit })));
          if (isWanted) setFound({ query, messages: messages.slice(0, MAX_MESSAGES) });
        },
        // Commands and sessions are there all the same; Search everything says why.
        () => isWanted && setFound({ query, messages: [] }),
      );
    }, TYPING_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [asks, client, query]);
  if (!asks) return [];
  return found.query === query ? found.messages : null;
}

function MessageItems({ onChoose }: { onChoose: (found: FoundMessage) => void }) {
  const query = useCommandState((state) => state.search).slice(0, MOST_QUERY);
  const byId = useSessions((state) => state.byId);
  const messages = useFound(query);
  // Not while messages may still come.
  if (messages === null) return null;
  if (messages.length === 0) return <Cmdk.Empty className={styles.empty}>No matches.</Cmdk.Empty>;
  return (
    <Cmdk.Group heading="Messages" className={styles.group}>
      {messages.map((found) => {
        const session = byId[found.sessionId];
        return (
          <Cmdk.Item
            key={`${found.sessionId} ${found.hit.entryId}`}
            value={`${MESSAGE}${found.sessionId} ${found.hit.entryId}`}
            className={styles.item}
            onSelect={() => onChoose(found)}
          >
            <span className={styles.title}>
              <Visible text={found.hit.text} place="path" />
            </span>
            <span className={styles.where}>{session ? shownTitle(session) : ''}</span>
          </Cmdk.Item>
        );
      })}
    </Cmdk.Group>
  );
}
