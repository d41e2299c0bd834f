/** Numbers and times in the words of the interface. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** No session ever has so many: a file of another program says so. */
const BEYOND_REASON = 1e10;

/** `850`, `85.6k`, `1.2M`; `?` for what can't be true. */
export function formatTokens(tokens: number): string {
  if (!(tokens < BEYOND_REASON)) return '?';
  if (tokens < 1000) return String(Math.round(tokens));
  if (tokens < 999_950) return `${trimZero((tokens / 1000).toFixed(1))}k`;
  return `${trimZero((tokens / 1_000_000).toFixed(1))}M`;
}

/** US dollars: `$4.82`, four digits below a cent. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars < 0.01 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

/** The same where the price of a part may be unknown: `cost unknown`, `at least $4.82`. */
export function costInWords(dollars: number, isPartUnknown: boolean): string {
  if (!isPartUnknown) return formatCost(dollars);
  return dollars === 0 ? 'cost unknown' : `at least ${formatCost(dollars)}`;
}

/** How long ago, short: `now`, `2 min`, `1 h`, `Thu`, `12 Nov`. Both in Unix milliseconds. */
export function formatAgo(then: number, now: number): string {
  const gone = Math.max(0, now - then);
  if (gone < MINUTE) return 'now';
  if (gone < HOUR) return `${Math.floor(gone / MINUTE)} min`;
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (then >= midnight) return `${Math.floor(gone / HOUR)} h`;
  return formatDay(then, now);
}

/** The same within a sentence: `just now`, `2 min ago`, `on Thu`, `on 12 Nov`. */
export function formatAgoInWords(then: number, now: number): string {
  const ago = formatAgo(then, now);
  if (ago === 'now') return 'just now';
  return / (?:min|h)$/.test(ago) ? `${ago} ago` : `on ${ago}`;
}

// Made once: `toLocaleDateString` makes one for each call, of which a screen of rows has a hundred.
const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** A day before today: `Thu`, `12 Nov`, `12 Nov 2024`. */
function formatDay(then: number, now: number): string {
  const date = new Date(then);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (then < midnight && then > midnight - 6 * 24 * HOUR) return WEEKDAY.format(date);
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return (sameYear ? DAY : DAY_OF_YEAR).format(date);
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** When something was, in a column: `now`, `13:31` of today, `Thu`, `12 Nov`, `2024`; empty for what is no time. Both in Unix milliseconds. */
export function formatWhen(then: number, now: number): string {
  if (!isTime(then) || then <= 0) return '';
  if (now - then < MINUTE) return 'now';
  if (new Date(then).toDateString() === new Date(now).toDateString()) return CLOCK.format(then);
  const year = new Date(then).getFullYear();
  return year === new Date(now).getFullYear() ? formatDay(then, now) : String(year);
}

const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short' });

/** When something was, to the minute: `13:31`, `Thu 13:31`, `12 Nov 13:31`; empty for what is no time. Both in Unix milliseconds. */
export function formatMoment(then: number, now: number): string {
  if (!isTime(then)) return '';
  const clock = CLOCK.format(then);
  const isToday = new Date(then).toDateString() === new Date(now).toDateString();
  return isToday ? clock : `${formatDay(then, now)} ${clock}`;
}

/** The same with its whole date: `Thursday, 26 November 2026 at 13:31`. */
export function fullMoment(then: number): string {
  return isTime(then) ? FULL.format(then) : '';
}

/** What a file says may be none that a calendar knows. */
function isTime(then: number): boolean {
  return !Number.isNaN(new Date(then).getTime());
}

/** A wait in whole seconds: `45 s`, `9 min 55 s`. */
export function formatWait(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}

/** A folder with the home directory as `~`. */
export function formatPath(path: string, home: string): string {
  return home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;
}

/** `3 KB`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${trimZero((bytes / 1024 / 1024).toFixed(1))} MB`;
}

/** `1 message`, `3 messages`; the second word for those that take more than an s. */
export function plural(count: number, word: string, words = `${word}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? word : words}`;
}

/** A text that may lack its full stop, with one: other sentences can follow. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]["”’)]?$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

function trimZero(number: string): string {
  return number.replace(/\.0$/, '');
}
