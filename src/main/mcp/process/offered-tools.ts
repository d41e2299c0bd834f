import { isRecord } from '@shared/checks';
import type { McpProblem, McpPrompt, McpTool } from './messages';

/** More is a mistake or an attack; a thousand is what the largest gateways have. */
export const MAX_TOOLS = 2_000;
const MAX_DESCRIPTION_CHARS = 4_000;
const MAX_TOOL_NAME_CHARS = 200;
const MAX_SCHEMA_CHARS = 64 * 1024;
const MAX_SCHEMA_DEPTH = 24;
const MAX_PROBLEMS = 50;
/** What providers take as the name of an argument. */
const ARGUMENT = /^[A-Za-z0-9_.-]{1,64}$/;
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/**
 * What of a server's list of tools can be told to a model. One schema that a provider refuses would fail every request of the
 * session, so a tool with such a one is left out, and that is said.
 */
export function offeredTools(given: readonly unknown[]): { tools: McpTool[]; problems: McpProblem[] } {
  const problems: McpProblem[] = [];
  const report = (tool: string, why: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ tool, why });
  };
  const tools: McpTool[] = [];
  const names = new Set<string>();
  if (given.length > MAX_TOOLS) report('', `Only the first ${MAX_TOOLS} tools of ${given.length} are used.`);
  for (const tool of given.slice(0, MAX_TOOLS)) {
    const name = isRecord(tool) && typeof tool.name === 'string' ? tool.name : '';
    const shown = name.slice(0, 80);
    try {
      if (!isRecord(tool) || name === '') throw new RangeError('It has no name.');
      if (name.length > MAX_TOOL_NAME_CHARS) throw new RangeError('Its name is too long.');
      if (names.has(name)) throw new RangeError('Another tool has its name.');
      const schema = checkedSchema(tool.inputSchema);
      const description = textOf(tool.description);
      if (description.length > MAX_DESCRIPTION_CHARS)
        report(shown, `Its description of ${description.length.toLocaleString('en-US')} characters is cut.`);
      const hints = isRecord(tool.annotations) ? tool.annotations : {};
      tools.push({
        ...{
          name,
          schema,
          description: cut(description, MAX_DESCRIPTION_CHARS),
          readOnly: hints.readOnlyHint === true,
        },
        title: cut(textOf(tool.title) || textOf(hints.title) || name, 80),
      });
      names.add(name);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      report(shown, `It is left out. ${error.message}`);
    }
  }
  return { tools, problems };
}

/** @throws RangeError that says what a provider would refuse */
function checkedSchema(given: unknown): Record<string, unknown> {
  if (!isRecord(given)) throw new RangeError('It has no schema of its arguments.');
  checkSchema(given, 0);
  // After the depth: what is written out may be no deeper.
  if (JSON.stringify(given).length > MAX_SCHEMA_CHARS) throw new RangeError('The schema of its arguments is too long.');
  if ((given.type ?? 'object') !== 'object') throw new RangeError('The schema of its arguments is not an object’s.');
  // Not taken by providers at the top; what they say of the arguments the server checks by itself.
  const { $schema: _s, oneOf: _o, anyOf: _y, allOf: _l, not: _n, ...schema } = given;
  for (const name of Object.keys(isRecord(schema.properties) ? schema.properties : {}))
    if (!ARGUMENT.test(name)) throw new RangeError('An argument has a name that providers refuse.');
  return { ...schema, type: 'object', properties: schema.properties ?? {} };
}

function checkSchema(schema: unknown, depth: number): void {
  if (typeof schema === 'boolean') return;
  if (!isRecord(schema)) throw new RangeError('The schema of its arguments is not valid.');
  if (depth > MAX_SCHEMA_DEPTH) throw new RangeError('The schema of its arguments is nested too deeply.');
  const invalid = (key: string): never => {
    throw new RangeError(`The schema of its arguments is not valid at “${key}”.`);
  };
  const { type, required, $ref } = schema;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.every((one) => typeof one === 'string' && TYPES.has(one))) invalid('type');
  const isTexts = Array.isArray(required) && required.every((one) => typeof one === 'string');
  if (required !== undefined && !isTexts) invalid('required');
  if ($ref !== undefined && (typeof $ref !== 'string' || !$ref.startsWith('#'))) invalid('$ref');
  if (schema.enum !== undefined && !Array.isArray(schema.enum)) invalid('enum');
  for (const key of ['description', 'title', 'pattern', 'format'])
    if (schema[key] !== undefined && typeof schema[key] !== 'string') invalid(key);
  for (const key of ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'])
    if (schema[key] !== undefined && typeof schema[key] !== 'number') invalid(key);
  for (const key of ['properties', 'patternProperties', '$defs', 'definitions']) {
    if (schema[key] === undefined) continue;
    if (!isRecord(schema[key])) invalid(key);
    for (const one of Object.values(schema[key] as object)) checkSchema(one, depth + 1);
  }
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const list = schema[key];
    if (list === undefined) continue;
    if (!Array.isArray(list) || list.length === 0) invalid(key);
    for (const one of list as unknown[]) checkSchema(one, depth + 1);
  }
  for (const key of ['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else']) {
    const one = schema[key];
    // A list of schemas was allowed for `items` in drafts that servers still use.
    if (key === 'items' && Array.isArray(one)) one.forEach((item) => checkSchema(item, depth + 1));
    else if (one !== undefined) checkSchema(one, depth + 1);
  }
  for (const value of [schema.default, schema.const, schema.examples, schema.enum]) checkDepth(value, depth);
}

function checkDepth(value: unknown, depth: number): void {
  if (value === null || typeof value !== 'object') return;
  if (depth > MAX_SCHEMA_DEPTH) throw new RangeError('The schema of its arguments is nested too deeply.');
  for (const one of Object.values(value)) checkDepth(one, depth + 1);
}

const MAX_PROMPTS = 200;
const PROMPT_NAME = /^[^\s\p{C}]{1,80}$/u;

/** The prompts of a server that can be commands: a name that can be typed, arguments with names. */
export function offeredPrompts(given: readonly unknown[]): McpPrompt[] {
  const prompts: McpPrompt[] = [];
  for (const prompt of given.slice(0, MAX_PROMPTS)) {
    if (!isRecord(prompt) || typeof prompt.name !== 'string' || !PROMPT_NAME.test(prompt.name)) continue;
    const args = Array.isArray(prompt.arguments) ? prompt.arguments.slice(0, 20) : [];
    prompts.push({
      name: prompt.name,
      description: cut(textOf(prompt.description), 300),
      arguments: args.flatMap((arg: unknown) =>
        isRecord(arg) && typeof arg.name === 'string' && arg.name !== '__proto__'
          ? [
              {
                ...{ name: cut(arg.name, 80), description: cut(textOf(arg.description), 300) },
                required: arg.required === true,
              },
            ]
          : [],
      ),
    });
  }
  return prompts;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
