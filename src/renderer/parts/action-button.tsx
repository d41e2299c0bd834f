import {
  act,
  decidingSession,
  isOut,
  keysOf,
  labelOf,
  verdictOn,
  type ActionId,
  type TargetOf,
} from '../actions/menus';
import { useApp, useSettings, useSituation } from '../state/hooks';
import { Button, type ButtonProps } from '../ui';

interface ActionButtonProps<I extends ActionId> extends Omit<ButtonProps, 'id' | 'onClick'> {
  id: I;
  target: TargetOf<I>;
  /** Closes what the button stands in, before the action begins. */
  onClose?: () => void;
}

/**
 * A button for an action on what stands beside it, with its own words unless there are others. Drawn again with what is around it, and
 * when what its session may take changes: that can come after the row that it stands in.
 */
export function ActionButton<I extends ActionId>({ id, target, onClose, children, ...look }: ActionButtonProps<I>) {
  const app = useApp();
  useSituation(decidingSession(id, target));
  const verdict = verdictOn(app, id, target);
  if (verdict === false) return null;
  return (
    <Button disabled={isOut(verdict)} {...look} onClick={() => (onClose?.(), act(app, id, target))}>
      {children ?? labelOf(app, id, target)}
    </Button>
  );
}

/** The keys of an action as the platform writes them. */
export function useKeys(id: ActionId): string | undefined {
  useSettings((state) => state.platform);
  useSettings((state) => state.settings['shortcuts.keys']);
  return keysOf(useApp(), id);
}
