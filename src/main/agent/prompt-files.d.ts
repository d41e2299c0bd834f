/** Prompts are Markdown files under `prompts/`, imported as text at build time. */
declare module '*.md?raw' {
  const text: string;
  export default text;
}
