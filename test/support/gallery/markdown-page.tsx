import { useEffect, useState } from 'react';
import { MarkdownStream } from '../../../src/renderer/features/markdown';
import { EVERYTHING } from './samples';
import './gallery.css';

/** Shows a text that the test sets, whole or in chunks. */
export default function MarkdownPage() {
  const [state, setState] = useState({ text: EVERYTHING, streaming: false, key: 'sample' });
  useEffect(() => {
    let count = 0;
    window.gallery.show = (text: string) => setState({ text, streaming: false, key: `shown-${++count}` });
    window.gallery.stream = async (text: string, chars: number) => {
      const key = `streamed-${++count}`;
      for (let at = chars; at < text.length; at += chars) {
        setState({ text: text.slice(0, at), streaming: true, key });
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      setState({ text, streaming: false, key });
    };
  }, []);
  return (
    <div className="g-read">
      <div>
        <MarkdownStream key={state.key} text={state.text} cacheKey={state.key} streaming={state.streaming} />
      </div>
    </div>
  );
}
