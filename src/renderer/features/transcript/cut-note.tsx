import { Button } from '../../ui';
import { plural } from '../../state/format';

/** How much of a text its lines leave out, and what leads to all of it; nothing where they are all of it. */
export function CutNote({ cut, onShowAll }: { cut: number; onShowAll: () => void }) {
  if (cut === 0) return null;
  return (
    <span>
      {plural(cut, 'character')} left out{' '}
      <Button tone="link" data-unfold onClick={onShowAll}>
        Show all
      </Button>
    </span>
  );
}
