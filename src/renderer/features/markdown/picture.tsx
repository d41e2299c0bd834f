import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { ImageOff } from 'lucide-react';
import { pictureFactsOfBase64 } from '@shared/picture-facts';
import { MAX_PICTURE_PIXELS } from '@shared/record-limits';
import { Button, cx } from '../../ui';
import { useSettings } from '../../state/hooks';
import styles from './markdown.module.css';

interface PictureProps {
  /** A data address that `isInlineImage` accepts. */
  src: string;
  alt: string;
  className?: string;
  /** It came out of a workspace: on an old runtime it is decoded only when the person asks. */
  fromWorkspace?: boolean;
}

/** A picture that is in the session itself. It is decoded when it is in view, two at a time, and not at all if it is too large. */
export const Picture = memo(function Picture({ src, alt, className, fromWorkspace = false }: PictureProps) {
  const size = useMemo(() => pictureFactsOfBase64(src.slice(src.indexOf(',') + 1)), [src]);
  const isOld = useSettings((state) => state.developmentRuntime);
  const [wanted, setWanted] = useState(false);
  const place = useRef<HTMLImageElement>(null);
  const isTooLarge = !size || size.width * size.height > MAX_PICTURE_PIXELS;
  const isHeld = isOld && fromWorkspace && !wanted;
  const [brokenSrc, setBroken] = useState<string | null>(null);
  const isBroken = brokenSrc === src;
  const turn = useTurn(place, !isTooLarge && !isHeld);
  if (isTooLarge || isHeld || isBroken) {
    const pixels = size && `${size.width.toLocaleString('en')} × ${size.height.toLocaleString('en')} pixels`;
    return (
      <span className={styles.imagePlace}>
        <ImageOff size={14} aria-hidden />
        <span className={styles.imageName}>{alt || 'Picture'}</span>
        <span className={styles.host}>
          {!size
            ? 'its header could not be read, so it is not shown'
            : isTooLarge
              ? `${pixels}: too large to show`
              : isBroken
                ? `${pixels}: it is damaged, so it is not shown`
                : pixels}
        </span>
        {!isTooLarge && !isBroken && (
          <Button tone="link" onClick={() => setWanted(true)}>
            Show the picture
          </Button>
        )}
      </span>
    );
  }
  const fail = (): void => {
    turn.end();
    setBroken(src);
  };
  return (
    <img
      ref={place}
      className={cx(styles.picture, className)}
      src={turn.isMine ? src : EMPTY}
      alt={alt}
      // Its place is kept before it is decoded.
      width={Math.max(1, Math.round(size.width * Math.min(1, BOX.width / size.width, BOX.height / size.height)))}
      style={{ aspectRatio: `${size.width} / ${size.height}` }}
      decoding="async"
      draggable={false}
      onLoad={turn.isMine ? turn.end : undefined}
      onError={turn.isMine ? fail : undefined}
    />
  );
});

/** Stands for a picture that the session file names and does not hold. */
export function MissingPicture() {
  return (
    <span className={styles.imagePlace}>
      <ImageOff size={14} aria-hidden />
      <span className={styles.imageName}>Image missing</span>
      <span className={styles.host}>The session file refers to it but doesn’t contain it</span>
    </span>
  );
}

/** Pixels of the page that a picture takes at most. */
const BOX = { width: 320, height: 240 };

/** A picture of nothing: holds the place until it is the turn of the real one. */
const EMPTY = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
const AT_ONCE = 2;
let decoding = 0;
const queue: Slot[] = [];

/** One picture's place in the queue, and then among those that are decoded. Giving it back twice counts once. */
class Slot {
  private state: 'waiting' | 'taken' | 'over' = 'waiting';

  constructor(private readonly onTaken: () => void) {}

  take(): void {
    this.state = 'taken';
    decoding += 1;
    this.onTaken();
  }

  release(): void {
    if (this.state === 'taken') decoding -= 1;
    else if (this.state === 'waiting') removeFrom(queue, this);
    this.state = 'over';
    next();
  }
}

function removeFrom(slots: Slot[], slot: Slot): void {
  const at = slots.indexOf(slot);
  if (at >= 0) slots.splice(at, 1);
}

function next(): void {
  while (decoding < AT_ONCE) {
    const slot = queue.shift();
    if (!slot) return;
    slot.take();
  }
}

/** Waits until the place is in view and fewer than two others are being decoded. */
function useTurn(place: React.RefObject<HTMLElement | null>, wanted: boolean): { isMine: boolean; end: () => void } {
  const [isMine, setMine] = useState(false);
  const held = useRef<Slot | null>(null);
  useEffect(() => {
    const element = place.current;
    if (!element || !wanted) return;
    const slot = new Slot(() => setMine(true));
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      queue.push(slot);
      next();
    });
    observer.observe(element);
    held.current = slot;
    // Also where its turn came and the row went before it was drawn.
    return () => {
      observer.disconnect();
      slot.release();
    };
  }, [place, wanted]);
  return { isMine, end: () => held.current?.release() };
}
