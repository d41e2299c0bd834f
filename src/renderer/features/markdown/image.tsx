import { memo } from 'react';
import { ImageOff } from 'lucide-react';
import { classifyUrl, escapeInvisible } from '@shared/policy/url';
import { Button } from '../../ui';
import { useMarkdownEnvironment } from './environment';
import { Picture } from './picture';
import { MAX_DATA_URL_CHARS, whyNotShown } from './why-not-shown';
import styles from './markdown.module.css';

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
