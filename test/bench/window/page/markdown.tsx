import { type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';
import PeerMarkdown from 'react-markdown';
import {
  type MarkdownEnvironment,
  MarkdownEnvironmentProvider,
} from '../../../../src/renderer/features/markdown/environment';
import { MarkdownStream } from '../../../../src/renderer/features/markdown/markdown';
import { applyStyleNonce, TooltipProvider } from '../../../../src/renderer/ui';

export type Side = 'ours' | 'peer';

const environment: MarkdownEnvironment = { openLink: () => undefined, copyText: async () => false };
let count = 0;

applyStyleNonce(document);

function view(side: Side, text: string, key: string, streaming: boolean): ReactNode {
  if (side === 'peer') return <PeerMarkdown>{text}</PeerMarkdown>;
  return (
    <TooltipProvider>
      <MarkdownEnvironmentProvider value={environment}>
        <MarkdownStream text={text} cacheKey={key} streaming={streaming} />
      </MarkdownEnvironmentProvider>
    </TooltipProvider>
  );
}

/** Lets what a chunk left behind (effects, answers of workers) happen between two chunks: chunks come once a frame. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/** Long texts are drawn a slice a frame. */
async function drawn(place: HTMLElement): Promise<void> {
  for (let before = -1; place.innerHTML.length !== before;) {
    before = place.innerHTML.length;
    for (let frame = 0; frame < 4; frame += 1) await nextFrame();
  }
}

/** Appends `text` in `chunks` equal parts, each drawn and laid out at once. Returns the milliseconds of each. */
export async function streamOnce(side: Side, text: string, chunks: number): Promise<number[]> {
  const place = document.createElement('div');
  place.style.width = '760px';
  document.body.append(place);
  const root = createRoot(place);
  const key = `bench-${(count += 1)}`;
  const times: number[] = [];
  for (let index = 1; index <= chunks; index += 1) {
    const part = text.slice(0, Math.ceil((text.length * index) / chunks));
    const start = performance.now();
    flushSync(() => root.render(view(side, part, key, index < chunks)));
    place.getBoundingClientRect();
    times.push(performance.now() - start);
    await nextFrame();
  }
  root.unmount();
  place.remove();
  return times;
}

/** The words that each side shows for a text, without controls, to see that both draw the same. */
export async function showBoth(text: string): Promise<Record<Side, string[]>> {
  const words = async (side: Side): Promise<string[]> => {
    const place = document.createElement('div');
    document.body.append(place);
    const root = createRoot(place);
    flushSync(() => root.render(view(side, text, `shown-${(count += 1)}`, false)));
    await drawn(place);
    const blocks = [...place.querySelectorAll('h1,h2,h3,h4,h5,h6,p,li,pre')];
    const found = blocks.map((block) => block.textContent.replace(/\s+/g, ' ').trim());
    root.unmount();
    place.remove();
    return found;
  };
  return { ours: await words('ours'), peer: await words('peer') };
}
