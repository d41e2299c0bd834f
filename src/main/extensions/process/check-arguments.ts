import { isRecord } from '@shared/checks';
import { loadPiAi } from '../../pi/pi';

/**
 * The arguments of a call as the tool's own schema has them, or a throw that says what does not fit. Here, in the extension's own process
 * (EX23): a pattern that takes for ever holds up nobody else.
 */
export async function checkArguments(name: string, parameters: unknown, args: unknown): Promise<unknown> {
  if (!isRecord(parameters)) return args;
  const { validateToolArguments } = await loadPiAi();
  const call = { type: 'toolCall' as const, id: name, name, arguments: isRecord(args) ? args : {} };
  return validateToolArguments({ name, description: '', parameters: parameters as never }, call);
}
