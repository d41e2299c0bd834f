import type { ThemeRegistrationRaw } from 'shiki/core';
import { HIGHLIGHT_CLASSES, type HighlightClass } from './protocol';

const SCOPES: Record<Exclude<HighlightClass, 'plain'>, string[]> = {
  comment: ['comment', 'punctuation.definition.comment', 'string.comment'],
  keyword: ['keyword', 'storage.type', 'storage.modifier', 'keyword.operator.new', 'keyword.operator.expression', 'variable.language', 'support.type.property-name.css'],
  string: ['string', 'punctuation.definition.string', 'markup.inline.raw', 'constant.other.symbol', 'string.regexp'],
  number: ['constant.numeric', 'constant.language', 'constant.character', 'variable.other.constant', 'support.constant', 'keyword.other.unit'],
  function: ['entity.name.function', 'support.function', 'meta.function-call.generic', 'variable.function', 'entity.name.command'],
  type: ['entity.name.type', 'entity.name.class', 'entity.other.inherited-class', 'support.type', 'support.class', 'entity.name.namespace', 'storage.type.java'],
  tag: ['entity.name.tag', 'punctuation.definition.tag', 'support.type.property-name', 'entity.name.section.group-title'],
  attribute: ['entity.other.attribute-name', 'meta.decorator', 'punctuation.decorator', 'entity.name.label'],
  inserted: ['markup.inserted', 'punctuation.definition.inserted'],
  deleted: ['markup.deleted', 'punctuation.definition.deleted'],
  heading: ['markup.heading', 'entity.name.section', 'meta.diff.header', 'meta.diff.range'],
  escape: ['constant.character.escape', 'punctuation.definition.template-expression', 'punctuation.section.embedded'],
}; // prettier-ignore

const colour = (index: number): string => `#0000${index.toString(16).padStart(2, '0')}`;

/**
 * A theme whose colours are indices into `HIGHLIGHT_CLASSES`: the page turns them into classes, so that light and dark
 * are a matter of CSS and no style attribute is written. Operators keep the colour of text.
 */
export const INDEX_THEME: ThemeRegistrationRaw = {
  name: 'espalier',
  type: 'light',
  settings: [
    { settings: { foreground: colour(0), background: '#ffffff' } },
    ...Object.entries(SCOPES).map(([name, scope]) => ({
      scope,
      settings: { foreground: colour(HIGHLIGHT_CLASSES.indexOf(name as HighlightClass)) },
    })),
    { scope: ['keyword.operator', 'punctuation', 'meta.brace'], settings: { foreground: colour(0) } },
  ],
};

/** The class index behind a colour of `INDEX_THEME`. */
export function classOfColour(value: string | undefined): number {
  const index = value ? Number.parseInt(value.slice(-2), 16) : 0;
  return Number.isInteger(index) && index < HIGHLIGHT_CLASSES.length ? index : 0;
}
