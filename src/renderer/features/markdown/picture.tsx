import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { ImageOff } from 'lucide-react';
import { pictureFactsOfBase64 } from '@shared/picture-facts';
import { classifyUrl, escapeInvisible, type UrlVerdict } from '@shared/policy/url';
import { MAX_PICTURE_PIXELS } from '@shared/record-limits';
import { useSettings } from '../../state/hooks';
import { Button, cx } from '../../ui';
import { useMarkdownEnvironment } from './environment';
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

/** Pictures that a message may carry in itself; anything larger is not an illustration. */
export const MAX_DATA_URL_CHARS = 12_000_000;

/** Characters of a path that a place shows; its end names the file. */
const SHOWN_CHARS = 80;

/**
 * Why a picture of a message is not drawn (RD11), in a few words. It is told from the address alone: that a file is outside the
 * workspace or missing is not looked up, because nothing that a message names is read unasked.
 */
export function whyNotShown(src: string, { scheme, warning }: Pick<UrlVerdict, 'scheme' | 'warning'>): string {
  const address = src.trim();
  if (address === '') return 'not shown: it has no address';
  if (scheme === 'data') return `not shown: ${whyNoData(address)}`;
  const file = fileOf(address, scheme);
  if (file !== null)
    return `not shown: ${shortened(file)} is a file, and pictures are shown only from the message itself`;
  if (scheme === 'http' || scheme === 'https')
    return `not shown: ${warning ? lowerFirst(warning).replace(/\.$/, '') : 'its address is not a web address'}`;
  if (scheme === '') return 'not shown: it does not say whether it is a web address';
  return `not shown: “${escapeInvisible(scheme)}:” is not a picture address`;
}

function whyNoData(address: string): string {
  const head = address.slice(0, Math.min(address.indexOf(','), 200));
  const [, type = ''] = /^data:([^;,]*)/i.exec(address.slice(0, 200)) ?? [];
  if (!/^image\//i.test(type))
    return type === '' ? 'it does not say what it is' : `${escapeInvisible(type)} is not a picture`;
  if (!/^image\/(?:png|jpeg|gif|webp)$/i.test(type)) return `pictures of type ${escapeInvisible(type)} are not shown`;
  if (!/;base64$/i.test(head)) return 'its data is not base64';
  return address.length > MAX_DATA_URL_CHARS ? 'it is too large for a message' : 'its data is damaged';
}

/** The path that an address without a scheme, of a drive or of a file stands for; null for any other. */
function fileOf(address: string, scheme: string): string | null {
  if (scheme === '') return address.startsWith('//') ? null : decoded(address);
  if (scheme === 'file') return decoded(address.replace(/^file:(?:\/\/)?/i, ''));
  return scheme.length === 1 ? address : null;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function shortened(path: string): string {
  const shown = escapeInvisible(path);
  return shown.length > SHOWN_CHARS ? `…${shown.slice(-SHOWN_CHARS)}` : shown;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Whether an address is a picture that is drawn in place: raster data, nothing that can hold a script or a link. */
export function isInlineImage(url: string): boolean {
  return url.length <= MAX_DATA_URL_CHARS && DATA_IMAGE.test(url);
}

/** A picture of a message. Remote ones are never fetched (QC3): their place says where they are and offers to open them. */
export const MessageImage = memo(function MessageImage({ src, alt }: { src: string; alt: string }) {
  const { openLink } = useMarkdownEnvironment();
  if (isInlineImage(src)) return <Picture className={styles.image} src={src} alt={alt} />;
  const verdict = classifyUrl(src);
  const name = escapeInvisible(alt) || 'Image';
  return (
    <span className={styles.imagePlace}>
      <ImageOff size={14} aria-hidden />
      <span className={styles.imageName}>{name}</span>
      {verdict.ok && verdict.scheme !== 'mailto' ? (
        <>
          <span className={styles.host}>{verdict.host}</span>
          <Button tone="link" onClick={() => openLink(verdict.href)} title={verdict.display}>
            Open in browser
          </Button>
        </>
      ) : (
        <span className={styles.host}>{whyNotShown(src, verdict)}</span>
      )}
    </span>
  );
});
