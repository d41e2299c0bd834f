import { Fragment } from 'react';
import type { Author, Place, SearchHit } from '@shared/search/types';
import type { Span } from '@shared/search/words';
import { Visible } from '../../ui';
import styles from './search.module.css';

/** A text with what was found in it marked. */
export function Found({ text, marks }: Pick<SearchHit, 'text' | 'marks'>) {
  return partsOf(text, marks).map(({ part, isHit }, index) => (
    <Fragment key={index}>
      {isHit ? (
        <mark className={styles.mark}>
          <Visible text={part} place="path" />
        </mark>
      ) : (
        <Visible text={part} place="path" />
      )}
    </Fragment>
  ));
}

function partsOf(text: string, marks: readonly Span[]): { part: string; isHit: boolean }[] {
  const parts: { part: string; isHit: boolean }[] = [];
  let at = 0;
  const add = (end: number, isHit: boolean): void => {
    if (end > at) parts.push({ part: text.slice(at, end), isHit });
    at = Math.max(at, end);
  };
  for (const [start, end] of marks) {
    add(start, false);
    add(end, true);
  }
  add(text.length, false);
  return parts;
}

export const PLACE_WORDS: Record<Place, string> = {
  kept: 'word for word',
  summarized: 'summarised',
  branch: 'other branch',
};

/** What the model has of a hit, in the colours of the meter; its words stand beside it. */
export function Gutter({ place }: { place: Place }) {
  return <i className={styles.gutter} data-place={place} aria-hidden />;
}

/** Whose words they are; names from a file in visible form. */
export function By({ author: { kind, name } }: { author: Author }) {
  const named = <Visible text={name.slice(0, 60)} place="path" />;
  if (kind === 'person') return <span>You</span>;
  if (kind === 'model') return <span>{name === '' ? 'Assistant' : named}</span>;
  if (kind === 'command') return <span>Your command</span>;
  if (kind === 'summary') return <span>{name === 'compaction' ? 'Summary' : 'Branch summary'}</span>;
  if (kind === 'tool') return <span>output of {name === '' ? 'a tool' : named}</span>;
  return <span>{name === '' ? 'Note' : named}</span>;
}
