/**
 * `npm test` tries a property on fewer or smaller inputs; `npm run faults -- --only "long forms"` runs the same tests on all of them
 * (docs/decisions/0042-short-forms.md).
 */
const isLong = process.env.ESPALIER_LONG_FORMS === '1';

/** The one for `npm test`, or the one of the long form: a count, a size, a step. */
export const shortOrLong = <T>(short: T, long: T): T => (isLong ? long : short);

/** Of many inputs every nth in the short form, so that it meets all kinds; all of them in the long one. */
export const everyNth = <T>(items: Iterable<T>, n: number): T[] => [...items].filter((_, at) => isLong || at % n === 0);
