import { createElement, memo } from 'react';
import type { ReactNode } from 'react';
import type { MarkedToken, Token, Tokens } from 'marked';
import type { Block } from './block-stream';
import { CodeBlock } from './code-block';
import { isPart } from './fit-tokens';
import { renderInline, showText } from './inline';
import { Formula } from './math';
import { isMathToken, isPlainToken } from './lex';
import { Diagram } from './mermaid';
import styles from './markdown.module.css';

/** Quotes and lists nest no deeper than this; further levels are shown as their source. */
const MAX_DEPTH = 12;

/** One block of a message. It renders again only when its `Block` object is another one. */
export const BlockView = memo(function BlockView({ block }: { block: Block }) {
  return renderBlock(block.token, block.frozen, 0);
});

function renderBlock(generic: Token, frozen: boolean, depth: number): ReactNode {
  if (isMathToken(generic)) return <Formula tex={generic.tex} display />;
  // Of a list or a quote the whole has one direction: that of its first letter, wherever that is in it (TS11).
  const dir = depth === 0 ? 'auto' : undefined;
  if (isPlainToken(generic))
    return (
      <p className={styles.rawText} dir={dir} data-part={isPart(generic) || undefined}>
        {showText(generic.raw.trimEnd())}
      </p>
    );
  const token = generic as MarkedToken;
  if (depth > MAX_DEPTH) return <p className={styles.rawText}>{showText(token.raw)}</p>;
  switch (token.type) {
    case 'paragraph':
      return (
        <p dir={dir} data-part={isPart(token) || undefined}>
          {renderInline(token.tokens)}
        </p>
      );
    case 'text':
      return token.tokens ? <>{renderInline(token.tokens)}</> : <>{showText(token.text)}</>;
    case 'heading':
      // h1 and h2 are the window's own; a message's outline starts below
      return createElement(
        `h${Math.min(6, token.depth + 2)}`,
        { 'data-depth': token.depth, dir },
        renderInline(token.tokens),
      );
    case 'code':
      return renderFence(token, frozen);
    case 'blockquote':
      return <blockquote dir={dir}>{renderChildren(token.tokens, frozen, depth)}</blockquote>;
    case 'list':
      return <ListView list={token} frozen={frozen} depth={depth} />;
    case 'table':
      return <TableView table={token} />;
    case 'hr':
      return <hr />;
    case 'html':
      return (
        <p className={styles.rawText} dir={dir}>
          {showText(token.raw.trimEnd())}
        </p>
      );
    case 'space':
    case 'def':
      return null;
    default:
      return <>{renderInline([token])}</>;
  }
}

function renderFence(token: Tokens.Code, frozen: boolean): ReactNode {
  const info = token.lang ?? '';
  const language = /^[^\s{]+/.exec(info)?.[0]?.toLowerCase();
  if (language === 'mermaid') return <Diagram source={token.text} frozen={frozen} />;
  if (frozen && (language === 'math' || language === 'katex')) return <Formula tex={token.text} display />;
  return <CodeBlock code={token.text} info={info} frozen={frozen} />;
}

function renderChildren(tokens: readonly Token[], frozen: boolean, depth: number): ReactNode[] {
  return tokens.map((token, index) => <NestedBlock key={index} token={token} frozen={frozen} depth={depth + 1} />);
}

function NestedBlock({ token, frozen, depth }: { token: Token; frozen: boolean; depth: number }) {
  return renderBlock(token, frozen, depth);
}

function ListView({ list, frozen, depth }: { list: Tokens.List; frozen: boolean; depth: number }) {
  const items = list.items.map((item, index) => {
    const done = frozen || index < list.items.length - 1;
    return <ListItem key={index} item={item} raw={item.raw} loose={list.loose} frozen={done} depth={depth} />;
  });
  const dir = depth === 0 ? 'auto' : undefined;
  if (!list.ordered) return <ul dir={dir}>{items}</ul>;
  return (
    <ol dir={dir} start={typeof list.start === 'number' ? list.start : undefined}>
      {items}
    </ol>
  );
}

interface ListItemProps {
  item: Tokens.ListItem;
  raw: string;
  loose: boolean;
  frozen: boolean;
  depth: number;
}

/** Items are compared by their text: a list that grows paints its last item. */
const ListItem = memo(
  function ListItem({ item, frozen, depth }: ListItemProps) {
    return (
      <li className={item.task ? styles.taskItem : undefined}>
        {item.tokens.map((token, index) => (
          <NestedBlock key={index} token={token} frozen={frozen} depth={depth + 1} />
        ))}
      </li>
    );
  },
  (a, b) =>
    a.raw === b.raw && a.loose === b.loose && a.frozen === b.frozen && a.depth === b.depth && !a.raw.includes('['),
);

function TableView({ table }: { table: Tokens.Table }) {
  return (
    <div className={styles.tableWrap} tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <Cell key={index} cell={cell} />
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <TableRow key={index} row={row} text={row.map((cell) => cell.text).join('\u0000')} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const TableRow = memo(
  function TableRow({ row }: { row: Tokens.TableCell[]; text: string }) {
    return (
      <tr>
        {row.map((cell, index) => (
          <Cell key={index} cell={cell} />
        ))}
      </tr>
    );
  },
  (a, b) => a.text === b.text && !a.text.includes('['),
);

function Cell({ cell }: { cell: Tokens.TableCell }) {
  const align = cell.align ? styles[`align-${cell.align}`] : undefined;
  return cell.header ? (
    <th scope="col" className={align} dir="auto">
      {renderInline(cell.tokens)}
    </th>
  ) : (
    <td className={align} dir="auto">
      {renderInline(cell.tokens)}
    </td>
  );
}
