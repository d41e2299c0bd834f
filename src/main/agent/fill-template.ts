/**
 * Puts values into a prompt template. A placeholder is `{{name}}`; an unknown one is a bug and throws. Values are inserted
 * as they are and never scanned for placeholders themselves.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const filled = template.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The prompt template has no value for ${placeholder}.`);
    return value;
  });
  return filled.replace(/\n{3,}/g, '\n\n').trim();
}
