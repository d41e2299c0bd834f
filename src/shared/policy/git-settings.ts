/**
 * Which words of a command give git a setting or a program to run, and which variables load code into whatever is started
 * (docs/specs/safety.md C2): for warnings alone. Pure, linear in the words.
 */

import { namesKnownProgram, riskyGitEntries, setsProgram, type GitConfigEntry } from './git-config';
import { gitVerbsOf } from './deleting';
import type { ShellCommand, Word } from './shell-words';

/** Words that set a variable for what follows them. */
export const EXPORTS = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);

/** Variables that give git settings, or a folder of programs. */
const RISKY_VARIABLE = /^GIT_(?:CONFIG(?:_\w+)?|EXTERNAL_DIFF|EXEC_PATH|PROXY_COMMAND)\+?=(?!\/dev\/null$)/;
/** Those that name a program that git runs, and the setting of the same kind. */
const NAMES_PROGRAM =
  /^(?:GIT_(?:SSH|SSH_COMMAND|ASKPASS)|((?:GIT_(?:SEQUENCE_)?)?EDITOR|VISUAL|(?:GIT_)?PAGER))\+?=([^]+)$/;
/** Whatever program is started, it runs what these name first. */
const RUNS_FIRST =
  /^(?:(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PYTHONSTARTUP)\+?=.|NODE_OPTIONS\+?=(?:.*\s)?(?:-r\b|--(?:require|import|(?:experimental-)?loader)\b)|PERL5OPT\+?=(?:.*\s)?-[a-zA-Z]*[mMd]|RUBYOPT\+?=(?:.*\s)?-[a-zA-Z]*r)/;
const VARIABLE = /^[A-Z][A-Z_\d]*\+?=/;
/** A setting whose value stands in a variable, and a folder of programs. */
const RISKY_SWITCH = /^--(?:config-env(?:=|$)|exec-path=)/;
/** By which switch a verb runs a program, however it is shortened. */
const RUNS = new Map([
  ['difftool', /^(?:-[a-zA-Z]{0,9}x|--ext)/],
  ['grep', /^(?:-[a-zA-Z]{0,9}O.|--op[a-z-]*=)/],
  ['archive', /^--exec/],
  // With hooks in a folder that is named; on this computer what packs or takes runs here.
  ['clone', /^(?:-[qvlsn]*u|--(?:upl|te(?:m[a-z]*)?(?:=.|$)))/],
  ['init', /^--te(?:m[a-z]*)?(?:=.|$)/],
  ['fetch', /^--upl/],
  ['pull', /^--upl/],
  ['ls-remote', /^--(?:upl|exec)/],
  ['push', /^--(?:rec|exec)/],
  ['send-email', /^--(?:sendmail|to|cc|header)-cmd/],
]);
/** What a setting stands behind, or is glued to. */
const SETTING_BY = /^(?:-c|--co(?:n(?:f(?:i(?:g)?)?)?)?(?:=|$))/;

/** What gives a call of git a setting that is not known to be harmless or a program to run, or any call code to run first. */
export function riskySettingOf(command: ShellCommand): Word | null {
  const { name, words, assignments, runValues } = command;
  const isExported = EXPORTS.has(name);
  const set = isExported ? words : assignments;
  const isRisky = (whole: string): boolean =>
    RUNS_FIRST.test(whole) || ((isExported || name === 'git') && givesGit(whole));
  const variable =
    set.find((word, at) => VARIABLE.test(word.text) && set[at - 1]?.at !== word.at && isRisky(wholeWord(set, at))) ??
    runValues.find(({ text }) => isRisky(text));
  if (variable) return variable;
  if (name !== 'git') return null;
  const verbs = gitVerbsOf(command);
  for (const [verb, by] of RUNS) {
    const at = verbs.find(({ text }) => text === verb)?.at;
    const tool = at === undefined ? undefined : words.find((word) => word.at > at && by.test(word.text));
    if (tool) return tool;
  }
  return settingIn(words) ?? writtenBy(command);
}

/** @param variable with its value */
function givesGit(variable: string): boolean {
  const [, chosen, value] = NAMES_PROGRAM.exec(variable) ?? [];
  if (value === undefined) return RISKY_VARIABLE.test(variable);
  return setsProgram({ name: chosen === undefined ? 'core.sshcommand' : 'core.editor', value });
}

/** Wherever it stands: which switches before it take a word is git's to know. */
function settingIn(words: readonly Word[]): Word | null {
  const [, verb] = words;
  for (const [at, setting] of words.entries()) {
    if (RISKY_SWITCH.test(setting.text)) return setting;
    if (verb?.text === 'grep') continue;
    const before = words[at - 1];
    // A piece of the same word is none: `"-c""-c"`.
    if (before?.at === setting.at) continue;
    const glued = SETTING_BY.exec(setting.text)?.[0].length ?? 0;
    const isBehind = before !== undefined && SETTING_BY.exec(before.text)?.[0] === before.text;
    if (!isBehind && (glued === 0 || glued === setting.text.length)) continue;
    const text = wholeWord(words, at).slice(isBehind ? 0 : glued);
    const [, key, value = ''] = /^([\w-]+\.[^=]+)=([^]*)$/.exec(text.replaceAll('\\', '')) ?? [];
    if (key === undefined) continue;
    const entry = { name: key.toLowerCase(), value };
    if (!namesKnownProgram(entry) && riskyGitEntries([entry]).length > 0) return setting;
  }
  return null;
}

/** Switches of `git config` that take the word behind them. */
const CONFIG_TAKES = /^(?:-[a-z]*[ft]|--(?:fil|blo|ty|def|com|val|ur)[a-z]*)$/;
/** With these it writes no value. */
const CONFIG_READS = /^--?(?:get|unset|list|l$|remove-section|rename-section|edit|e$)/;
const CONFIG_OTHER_VERBS = new Set(['get', 'unset', 'list', 'edit', 'remove-section', 'rename-section']);

/** The name in `git config NAME VALUE` with which git would run a program. */
function writtenBy(command: ShellCommand): Word | null {
  const { words } = command;
  const verb = gitVerbsOf(command).find(({ text }) => text === 'config');
  if (!verb) return null;
  let name: Word | null = null;
  // `git config set` takes switches behind the name as well.
  let isSet = false;
  for (let at = words.indexOf(verb) + 1; at < words.length; at += 1) {
    const word = words[at] as Word;
    const { text } = word;
    if (word.at === words[at - 1]?.at) continue;
    if (name && !(isSet && text.startsWith('-')))
      return setsProgram(entryOf(words, words.indexOf(name), at)) ? name : null;
    if (CONFIG_READS.test(text) || CONFIG_OTHER_VERBS.has(text)) return null;
    if (CONFIG_TAKES.test(text)) at += 1;
    else if (text === 'set') isSet = true;
    else if (!text.startsWith('-')) name = word;
  }
  return null;
}

function entryOf(words: readonly Word[], name: number, value: number): GitConfigEntry {
  return { name: wholeWord(words, name).toLowerCase(), value: wholeWord(words, value) };
}

/** Of a setting that is read, at most so many characters are put together. */
const MAX_SETTING_CHARS = 1_000;

/** Quotes and blanks in them part words, which the shell does not do. */
function wholeWord(words: readonly Word[], at: number): string {
  let text = '';
  for (let next = at, word = words[next]; word && text.length < MAX_SETTING_CHARS; word = words[++next]) {
    const before = words[next - 1];
    if (before && next > at) {
      if (word.at !== before.at) break;
      if (word.from > before.to && !word.isQuoted) text += ' ';
    }
    text += word.text;
  }
  return text;
}
