/** A package as its own files describe it. */
export interface PackageFacts {
  name: string;
  version: string;
  /** SPDX expression. */
  licence: string;
  author: string;
  /** The licence and notice files that it brings. */
  texts: readonly string[];
}

/**
 * The licence text of a package: the files that it brings, else the text that its licence stands for.
 * @throws Error if there is neither: then it may not be shipped, or its text has to be found and added here
 */
export function textOfLicence({ name, version, licence, author, texts }: PackageFacts): string {
  if (texts.length > 0) return texts.map((text) => text.replace(/\r\n?/g, '\n').trim()).join('\n\n');
  if (licence !== 'MIT' || author === '') {
    throw new Error(`${name} ${version} (${licence}) is bundled and brings no licence text.`);
  }
  return `Copyright (c) ${author.replace(/\s*[<(].*$/, '')}\n\n${MIT}`;
}

/** Some packages name the licence and leave its text out. */
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify,
merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished
to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE
FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Licences under which a package may be part of the app; of a choice (`A OR B`) one is enough. */
const ACCEPTED = new Set(['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'Unlicense', 'OFL-1.1', 'CC0-1.0', 'BlueOak-1.0.0']); // prettier-ignore
/** Packages that name no licence, and whose text was read. */
const READ = new Map([['khroma', 'MIT']]);

/** Whether a licence asks no more than that its text is carried along. */
export function isAccepted({ name, licence }: Pick<PackageFacts, 'name' | 'licence'>): boolean {
  const expression = READ.get(name) ?? licence;
  return expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((id) => ACCEPTED.has(id.trim())));
}
