/** What a setting is: its control, its bounds, its words. One maker for each kind. */

type SettingKind =
  | { kind: 'boolean' }
  /** Of an optional one `unset` says what holds without a number. */
  | { kind: 'integer'; min: number; max: number; unit: string; optional?: boolean; unset?: string }
  /** `words` says an option where its name in the file does not. */
  | { kind: 'choice'; options: readonly string[]; words?: Readonly<Record<string, string>> }
  | { kind: 'text'; maxLength: number; optional?: boolean; placeholder?: string }
  | { kind: 'list'; maxItems: number }
  /** `provider/model`, or empty; `unset` says what holds then. */
  | { kind: 'model'; unset: string }
  /** Several of them in order. */
  | { kind: 'models'; maxItems: number }
  /** An address that summaries may be sent to, or empty. */
  | { kind: 'endpoint'; placeholder: string }
  /** An address that requests go through, or empty. */
  | { kind: 'proxy'; placeholder: string }
  | { kind: 'overrides' }
  /** Keys of actions by their ids. */
  | { kind: 'shortcuts' };

type SettingGroup =
  | 'providers'
  /** How providers are reached. */
  | 'network'
  | 'tools'
  | 'extensions'
  | 'instructions'
  | 'appearance'
  | 'notifications'
  | 'shortcuts'
  /** When a session is compacted, what stays as it is, who writes the summary, where else it may be written. */
  | 'context'
  | 'keep'
  | 'summaries'
  | 'endpoint'
  | 'pruning'
  /** Summaries of branches that are left or brought over. */
  | 'branches'
  | 'overrides'
  | 'retry';

export interface SettingSpec<T> {
  readonly group: SettingGroup;
  readonly label: string;
  readonly help: string;
  readonly control: SettingKind;
  readonly initial: T;
}

export function flag(
  group: SettingSpec<boolean>['group'],
  label: string,
  help: string,
  initial: boolean,
): SettingSpec<boolean> {
  return { group, label, help, control: { kind: 'boolean' }, initial };
}
export function integer(
  group: SettingSpec<number>['group'],
  label: string,
  help: string,
  initial: number,
  [min, max, unit]: [number, number, string],
): SettingSpec<number> {
  return { group, label, help, control: { kind: 'integer', min, max, unit }, initial };
}
/** A number that may be left unset: null, and `unset` says in its place what holds then. */
export function optionalInteger(
  group: SettingSpec<number | null>['group'],
  label: string,
  help: string,
  [min, max, unit]: [number, number, string],
  unset: string,
): SettingSpec<number | null> {
  return { group, label, help, control: { kind: 'integer', min, max, unit, optional: true, unset }, initial: null };
}
export function choice<T extends string>(
  group: SettingSpec<T>['group'],
  label: string,
  help: string,
  initial: NoInfer<T>,
  options: readonly T[],
  words?: Record<T, string>,
): SettingSpec<T> {
  return { group, label, help, control: { kind: 'choice', options, ...(words ? { words } : {}) }, initial };
}
export function text(
  group: SettingSpec<string>['group'],
  label: string,
  help: string,
  placeholder = '',
): SettingSpec<string> {
  return { group, label, help, control: { kind: 'text', maxLength: 400, optional: true, placeholder }, initial: '' };
}
export function list(
  group: SettingSpec<string[]>['group'],
  label: string,
  help: string,
  initial: string[],
): SettingSpec<string[]> {
  return { group, label, help, control: { kind: 'list', maxItems: 100 }, initial };
}
