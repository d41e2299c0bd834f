/** Which pipe feeds which command of a shell text: those of a group all read what comes to it (docs/specs/safety.md C2). */

import { PIPE, type ShellCommand, type Word } from './shell-words';

/** What begins a list of commands that all read what comes in, and what ends it. */
const BEGINS_GROUP = new Set(['{', 'while', 'until', 'if', 'for', 'select', 'case']);
const ENDS_GROUP = new Set(['}', 'done', 'fi', 'esac']);

/** The pipe that feeds a command that was read, by itself or with the group that it stands in; null for none. */
export function pipeInto(command: ShellCommand): Word | null {
  return pipeBefore(command) ?? command.fedBy;
}

/** The pipe that stands right before a command. */
export function pipeBefore({ after }: ShellCommand): Word | null {
  return after && PIPE.test(after.text) ? after : null;
}

/** The groups that are open in one frame of a reader. */
export class FedGroups {
  /** The pipe of each, innermost last: `| (cd x && bash)`. */
  private pipes: (Word | null)[] = [];

  /** @param around the pipe that feeds the command of whose code, or of whose substitution, these are the groups */
  constructor(private readonly around: Word | null = null) {}

  copy(): FedGroups {
    const copy = new FedGroups(this.around);
    copy.pipes = [...this.pipes];
    return copy;
  }

  /** The pipe that feeds a command that is still being read here, and what stands in it. */
  feeding(command: ShellCommand): Word | null {
    return pipeBefore(command) ?? this.pipes.at(-1) ?? this.around;
  }

  /**
   * A command ends, and groups begin or end with it.
   * @param opensBracket a bracket ends it, which begins one
   */
  endCommand(command: ShellCommand, opensBracket: boolean): void {
    command.fedBy = this.pipes.at(-1) ?? this.around;
    const begun = groupsBegun(command) + (opensBracket ? 1 : 0);
    for (let at = 0; at < begun; at += 1) this.pipes.push(pipeInto(command));
    if (ENDS_GROUP.has(command.name)) this.endGroup();
  }

  endGroup(): void {
    this.pipes.pop();
  }
}

function groupsBegun({ name, prefixes }: ShellCommand): number {
  const named = prefixes.filter(({ text }) => BEGINS_GROUP.has(text)).length;
  return named + (BEGINS_GROUP.has(name) ? 1 : 0);
}
