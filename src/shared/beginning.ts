/** Characters of a title, a label and other names and first words from outside that the window is sent and shows (JN46). */
export const MAX_NAME_CHARS = 300;

/** Characters of the id of a call: some servers make ids of several hundred, none of ours is longer. */
export const MAX_CALL_ID_CHARS = 4096;

/** The id of a call as rows and state name it (JN46): a longer one by its length, its ends and a check of the whole, on both sides of the bridge alike. */
export function shownCallId(id: string): string {
  if (id.length <= MAX_CALL_ID_CHARS) return id;
  const half = MAX_CALL_ID_CHARS / 4;
  return `${id.slice(0, half)}…${id.length}…${checkOf(id)}…${id.slice(-half)}`;
}

/** FNV-1a over the UTF-16 units, 32 bits as hexadecimal digits: tells ids apart that no one made alike on purpose. */
function checkOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}

/** So many characters of a text, without half a pair at its end. */
export function beginningOf(text: string, most: number): string {
  return text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, '') : text;
}
