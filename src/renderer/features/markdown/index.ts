export { useCopied } from './copy-button';
export { MarkdownEnvironmentProvider } from './environment';
export { isInlineImage } from './image';
export { MissingPicture, Picture } from './picture';
export { Paced, usePaid } from './paced';
export { chargeFrame, hasRoom, inNextFrame } from './frame-room';
export { affordable, affordableApart, affordableParts, fieldCost, textCost } from './text-cost';
export { Markdown, MarkdownStream } from './markdown';
