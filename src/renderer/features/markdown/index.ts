export { CopyButton, useCopied } from './copy-button';
export { MarkdownEnvironmentProvider, useMarkdownEnvironment, type MarkdownEnvironment } from './environment';
export { languageOfPath } from './highlight/language-names';
export { isInlineImage } from './image';
export { MissingPicture, Picture } from './picture';
export { Paced } from './paced';
export { affordable, affordableParts, textCost } from './text-cost';
export { Markdown, MarkdownStream, type MarkdownProps, type MarkdownStreamProps } from './markdown';
