import { useEffect } from 'react';
import { noteCarried } from '../../actions/carried';
import { type GraphScope, NO_DRAG } from './context';

/** What the keyboard carries is put down by Escape wherever that is pressed (GR24), and by a press of the pointer on anything (GR32). */
export function useCarried({ app, drag, keys }: GraphScope): void {
  useEffect(() => {
    const putDown = (): void => drag.setState(NO_DRAG);
    const end = drag.subscribe(({ isCarried }) => noteCarried(app, isCarried ? putDown : null));
    const onPress = ({ button }: PointerEvent): void => {
      // With Space held it pans.
      if (drag.getState().isCarried && button === 0 && !keys.isSpaceDown) putDown();
    };
    document.addEventListener('pointerdown', onPress, true);
    return () => {
      document.removeEventListener('pointerdown', onPress, true);
      if (drag.getState().isCarried) putDown();
      end();
    };
  }, [app, drag, keys]);
}
