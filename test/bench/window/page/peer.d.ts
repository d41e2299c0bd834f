/** The peer is installed by the bench and has no types here. */
declare module 'react-markdown' {
  import type { ReactElement } from 'react';

  export default function Markdown(props: { children: string }): ReactElement;
}
