import { useState } from 'react';
import { plural } from '../../state/format';
import { TextArea, type TextAreaProps } from '../../ui';

/**
 * Characters of a summary that can be edited: Chromium lays a field out as a whole, and megabytes in it hold the window for many
 * seconds. No window of a model leaves room for a longer summary.
 */
const MAX_CHARS = 100_000;
const BOUND = MAX_CHARS.toLocaleString('en');

interface SummaryTextProps extends Omit<TextAreaProps, 'value' | 'onChange' | 'readOnly'> {
  value: string;
  onChange: (text: string) => void;
}

/** The field of a summary (A2): a longer one shows its beginning and is taken or left as it is; a change that makes it longer is not made. */
export function SummaryText({ value, onChange, ...rest }: SummaryTextProps) {
  const [isRefused, setRefused] = useState(false);
  const isLong = value.length > MAX_CHARS;
  const change = (text: string): void => {
    setRefused(text.length > MAX_CHARS);
    if (text.length <= MAX_CHARS) onChange(text);
  };
  return (
    <>
      <TextArea
        {...rest}
        value={isLong ? value.slice(0, MAX_CHARS) : value}
        readOnly={isLong}
        onChange={(event) => change(event.target.value)}
      />
      {isLong && (
        <p role="status">
          Too long to edit: the first {BOUND} of its {plural(value.length, 'character')} are shown.
        </p>
      )}
      {isRefused && !isLong && <p role="alert">A summary can have at most {BOUND} characters. Nothing was added.</p>}
    </>
  );
}
