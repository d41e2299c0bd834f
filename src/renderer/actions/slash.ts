/** Slash commands: what a text of the composer that begins like one comes to (CM3, CM4). */
import { closest, distance } from 'fastest-levenshtein';
import type { App } from '../state/app-type';
import { LIST, verdictHere, type ActionId } from './menus';

/** A command that can act. */
interface Command {
  id: ActionId;
  argument: string;
}

/** Why a text is not carried out; it is not sent either, unless the person says so. */
export interface SlashRefusal {
  why: string;
  /** The text with the command that was probably meant. */
  meant?: string;
  /** It may have been meant as a message. */
  canBeSent: boolean;
}

/** How many letters may be wrong in a name of five. */
const TYPOS = 0.4;

const NAMES = LIST.flatMap(({ slash }) => slash ?? []);

/** What a text asks for; null: it is an ordinary message, also where a path stands at its beginning. */
export function readSlash(app: App, text: string): Command | SlashRefusal | null {
  const match = /^\/(\p{L}[\w-]*)(?:\s+([\s\S]*))?$/u.exec(text.trim());
  if (!match) return null;
  const [, typed = '', argument = ''] = match;
  const name = typed.toLowerCase();
  const action = LIST.find(({ slash }) => slash === name);
  if (!action) return unknown(typed, argument);
  if (argument.includes('\n') && !action.multiline) return { why: `/${name} takes one line.`, canBeSent: true };
  const verdict = verdictHere(app, action.id);
  if (verdict === true) return { id: action.id, argument: argument.trim() };
  const why = verdict ? verdict.text : `/${name} can’t do anything here now.`;
  return { why, canBeSent: false };
}

function unknown(typed: string, argument: string): SlashRefusal {
  const why = `No command /${typed}.`;
  const nearest = closest(typed.toLowerCase(), NAMES);
  if (distance(typed.toLowerCase(), nearest) > Math.ceil(nearest.length * TYPOS)) return { why, canBeSent: true };
  return {
    why: `${why} Did you mean /${nearest}?`,
    meant: `/${nearest}${argument === '' ? '' : ` ${argument}`}`,
    canBeSent: true,
  };
}
