/*
 * Draws diagrams in a sandboxed page without an origin (resources/csp-mermaid.txt): what Mermaid does with hostile text
 * stays in here, the app takes the result as an image. A classic script, because a page without an origin may not load
 * modules. Plain JavaScript, because it is copied and not bundled (scripts/vite-mermaid-frame.ts).
 */
(() => {
  const mermaid = globalThis.mermaid;
  let count = 0;

  const themeFor = (dark) => ({
    startOnLoad: false,
    securityLevel: 'strict',
    // Labels as SVG text: an image may not hold HTML.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    deterministicIds: true,
    suppressErrorRendering: true,
    maxTextSize: 20000,
    maxEdges: 400,
    // An image cannot load the page's fonts: measure with the one that it will be drawn with.
    fontFamily: 'sans-serif',
    theme: 'base',
    themeVariables: dark
      ? {
          darkMode: true,
          background: '#242320',
          primaryColor: '#203328',
          primaryTextColor: '#ece8de',
          primaryBorderColor: '#74c795',
          lineColor: '#b3ac9d',
          secondaryColor: '#20303d',
          tertiaryColor: '#2d2840',
          noteBkgColor: '#37301f',
          noteTextColor: '#ece8de',
          noteBorderColor: '#e3b25c',
          fontSize: '14px',
        }
      : {
          background: '#ffffff',
          primaryColor: '#e2efe6',
          primaryTextColor: '#24221d',
          primaryBorderColor: '#256b43',
          lineColor: '#5a554a',
          secondaryColor: '#e3edf6',
          tertiaryColor: '#ece7f8',
          noteBkgColor: '#faeed7',
          noteTextColor: '#24221d',
          noteBorderColor: '#8a5508',
          fontSize: '14px',
        },
  });

  async function draw(source, dark) {
    mermaid.initialize(themeFor(dark));
    const { svg } = await mermaid.render(`diagram${++count}`, source);
    // Mermaid writes HTML-ish SVG; an image must be well-formed XML.
    const parsed = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
    if (!parsed) throw new Error('Mermaid drew nothing.');
    return new XMLSerializer().serializeToString(parsed);
  }

  addEventListener('message', (event) => {
    const port = event.ports[0];
    if (event.source !== parent || event.data !== 'connect' || !port) return;
    port.onmessage = async ({ data }) => {
      try {
        port.postMessage({ id: data.id, svg: await draw(String(data.source), data.dark === true) });
      } catch (error) {
        document.body.querySelectorAll('svg, div').forEach((leftover) => leftover.remove());
        port.postMessage({ id: data.id, error: String(error?.message ?? error).slice(0, 300) });
      }
    };
  });
})();
