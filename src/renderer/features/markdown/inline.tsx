import { Fragment } from 'react';
import type { ReactNode } from 'react';
import type { MarkedToken, Token } from 'marked';
import { escapeInvisible, hasInvisible } from '@shared/policy/url';
import { decodeEntities } from './entities';
import { withReferences } from './entry-chip';
import { MessageImage } from './image';
import { MessageLink } from './link';
import { Formula } from './math';
import { isMathToken } from './math-tokens';
import styles from './markdown.module.css';

/** Nesting beyond this is shown as its source: no hand writes it, and each level is a React frame. */
const MAX_DEPTH = 24;

/** Inline tokens as React nodes. Raw HTML comes out as the text that it is; only `<br>` breaks the line. */
export function renderInline(tokens: readonly Token[] | undefined, depth = 0, inLink = false): ReactNode[] {
  return (tokens ?? []).map((token, index) => <Fragment key={index}>{renderToken(token, depth, inLink)}</Fragment>);
}

function renderToken(generic: Token, depth: number, inLink: boolean): ReactNode {
  if (isMathToken(generic)) return <Formula tex={generic.tex} display={generic.display} />;
  const token = generic as MarkedToken;
  if (depth > MAX_DEPTH) return token.raw;
  switch (token.type) {
    case 'text':
      if (token.tokens) return renderInline(token.tokens, depth + 1, inLink);
      // A link holds no other control.
      return inLink
        ? showText(decodeEntities(token.text))
        : withReferences(token.text, (text) => showText(decodeEntities(text)));
    case 'escape':
      return token.text;
    case 'strong':
      return <strong>{renderInline(token.tokens, depth + 1, inLink)}</strong>;
    case 'em':
      return <em>{renderInline(token.tokens, depth + 1, inLink)}</em>;
    case 'del':
      return <del>{renderInline(token.tokens, depth + 1, inLink)}</del>;
    case 'codespan':
      return <code className={styles.code}>{showText(token.text)}</code>;
    case 'br':
      return <br />;
    case 'checkbox':
      return (
        <input type="checkbox" className={styles.task} checked={token.checked} readOnly disabled aria-label="Task" />
      );
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? <br /> : showText(token.raw);
    case 'image':
      return <MessageImage src={decodeEntities(token.href)} alt={decodeEntities(token.text)} />;
    case 'link':
      return (
        <MessageLink url={token.autolink ? token.href : decodeEntities(token.href)} text={plainText(token.tokens)}>
          {renderInline(token.tokens, depth + 1, true)}
        </MessageLink>
      );
    default:
      return showText(token.raw);
  }
}

// Emoji are joined by U+200D and shaped by U+FE0F: those two stay between visible characters.
const EMOJI_JOINERS = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f#*0-9])[\u200d\ufe0f]/gu;

/** Text with bidi controls and zero-width characters written out (QC3). */
export function showText(text: string): ReactNode {
  if (!hasInvisible(text.replace(/[\n\t]/g, ''))) return text;
  const kept: string[] = [];
  const marked = text.replace(EMOJI_JOINERS, (joiner) => (kept.push(joiner), '\ue000'));
  return marked
    .split(/([\n\t\ue000])/)
    .map((part) => (part === '\ue000' ? kept.shift() : part === '\n' || part === '\t' ? part : escapeInvisible(part)))
    .join('');
}

/** The words of inline tokens, without their form. */
function plainText(tokens: readonly Token[] | undefined): string {
  return (tokens ?? [])
    .map((token) =>
      'tokens' in token && token.tokens
        ? plainText(token.tokens)
        : 'text' in token
          ? decodeEntities(String(token.text))
          : '',
    )
    .join('');
}
