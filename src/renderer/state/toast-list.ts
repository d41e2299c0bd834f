import { isSameDeed, makesUpFor, type Deed } from './retries';
import type { Toast } from './ui-store';

const MAX_TOASTS = 6;

/** The toasts with one more; one that stands there in the same words is told once more in its place. */
export function withToast(
  toasts: readonly Toast[],
  toast: Omit<Toast, 'id'>,
  newId: () => string,
): { id: string; toasts: Toast[] } {
  // Two undos with the same words are of two things.
  const same = toasts.find(
    ({ text, level, action }) => text === toast.text && level === toast.level && !action && !toast.action,
  );
  if (!same) {
    const id = newId();
    return { id, toasts: [...toasts, { ...toast, id }].slice(-MAX_TOASTS) };
  }
  const again = { ...toast, id: same.id, count: (same.count ?? 1) + 1, of: both(same, toast) };
  return { id: same.id, toasts: toasts.map((old) => (old === same ? again : old)) };
}

/** The toasts without the errors of what is done after all (GR25). */
export function withoutErrorsOf(toasts: readonly Toast[], done: Deed): readonly Toast[] {
  const left = toasts.filter(({ level, of }) => level !== 'error' || !of || !makesUpFor(done, of));
  return left.length < toasts.length ? left : toasts;
}

/** Of two errors in the same words that are of two things neither goes for the other. */
function both({ of }: Pick<Toast, 'of'>, other: Pick<Toast, 'of'>): Deed | undefined {
  return of && other.of && isSameDeed(of, other.of) ? other.of : undefined;
}
