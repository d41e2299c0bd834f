import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { nextReply } from '../../../src/main/models/demo/script';
import { summarizeText } from '../../../src/main/models/demo/summary';
import { Project } from '../../../src/main/trust/project-door';
import type { Context, Message, Tool } from '../../../src/main/pi/pi-types';

const tools = ['read', 'write', 'bash', 'ls'].map((name) => ({
  name,
  description: '',
  parameters: {},
})) as unknown as Tool[];
const ask = (text: string, more: Message[] = []): Context => ({
  systemPrompt: 'You work in a folder.',
  messages: [{ role: 'user', content: text, timestamp: 0 }, ...more],
  tools,
});

describe('MO4: the demo model', () => {
  it.each([
    ['Write a haiku to notes.md', 'write', { path: 'notes.md' }],
    ['Please create `docs/plan.md`: buy milk', 'write', { path: 'docs/plan.md', content: 'buy milk\n' }],
    ['read src/app.ts', 'read', { path: 'src/app.ts' }],
    ['Run `npm test -- --watch=false`', 'bash', { command: 'npm test -- --watch=false' }],
    ['List the files here', 'ls', { path: '.' }],
  ])('%s → %s', (text, name, args) => {
    const reply = nextReply(ask(text));
    expect(reply.call?.name).toBe(name);
    expect(reply.call?.arguments).toMatchObject(args);
  });

  it('says what restricted means in a folder that is not trusted, and promises no reading without a question there', async () => {
    const project = new Project({
      isTrusted: () => Promise.resolve(false),
      isScratch: () => Promise.resolve(false),
      dataDir: '/nowhere',
      deniedPaths: () => [],
    });
    const restricted = nextReply({
      ...ask('Hello'),
      systemPrompt: (await project.facts('/nowhere/project')).join('\n'),
    }).text;
    expect(restricted).toContain('This folder is restricted');
    expect(restricted).not.toContain('needs no question');
    expect(nextReply(ask('Hello')).text).toContain('needs no question');
    expect(nextReply(ask('Hello')).text).not.toContain('restricted');
  });

  it('asks for no tool that it was not given', () => {
    expect(nextReply({ ...ask('Run `date`'), tools: [] }).call).toBeUndefined();
  });

  it('says that an empty folder is empty', () => {
    const result = {
      role: 'toolResult' as const,
      toolCallId: 'demo-1',
      toolName: 'ls',
      content: [{ type: 'text' as const, text: '(empty folder)' }],
      isError: false,
      timestamp: 1,
    };
    expect(nextReply({ messages: [result] }).text).toBe('The folder is empty.');
  });

  it('says what it is', () => expect(nextReply(ask('hello')).text).toMatch(/demo model.*script/i));

  it('takes a refusal for an answer', () => {
    const refused = {
      role: 'toolResult',
      toolCallId: 'x',
      toolName: 'write',
      content: [{ type: 'text', text: 'The person declined this.' }],
      isError: true,
      timestamp: 0,
    } as Message;
    const reply = nextReply(ask('Write a haiku to notes.md', [refused]));
    expect(reply.call).toBeUndefined();
    expect(reply.text).toMatch(/nothing was changed/i);
  });

  it('is deterministic for whatever a person types', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(nextReply(ask(text))).toEqual(nextReply(ask(text)));
      }),
    );
  });
});

describe('its summaries', () => {
  const conversation = [
    '[User]: Move the job queue to an outbox table. Never drop the old table in the same deploy.',
    '[Assistant]: I chose dual writes because a crash must not lose jobs. See src/queue/enqueue.ts.',
    '[Assistant tool calls]: edit(path="src/queue/enqueue.ts", edits=[])',
    '[Tool result: bash, failed]: error: relation "outbox" does not exist',
    '[User]: Add the migration in db/0042_outbox.sql first.',
  ].join('\n\n');
  const prompt = `<conversation>\n${conversation}\n</conversation>\n\nSummarise.`;

  it('quote rules, paths, errors and the last request from the text itself', () => {
    const summary = summarizeText(prompt);
    expect(summary).toContain('Never drop the old table in the same deploy.');
    expect(summary).toContain('src/queue/enqueue.ts');
    expect(summary).toContain('relation "outbox" does not exist');
    expect(summary).toMatch(/## Next Steps\n1\. Add the migration in db\/0042_outbox.sql first\./);
  });

  it('carry the previous summary on', () => {
    const previous = '## Goal\n- Ship 2.4\n## Constraints & Preferences\n- Always run the linter';
    const summary = summarizeText(`${prompt}\n\n<previous-summary>\n${previous}\n</previous-summary>`);
    expect(summary).toMatch(/## Goal\n- Ship 2\.4/);
    expect(summary).toContain('Always run the linter');
  });

  it('invent nothing: every bullet stands in the input', () => {
    const summary = summarizeText(prompt);
    for (const line of summary.split('\n').filter((text) => text.startsWith('- '))) {
      const words = line.replace(/^- (\[.\] )?(\*\*Decision\*\*: )?/, '').match(/[\w/.]{4,}/g) ?? [];
      for (const word of words) expect(prompt).toContain(word.replace(/[.]$/, ''));
    }
  });

  it('are never empty and never throw', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(summarizeText(text).length).toBeGreaterThan(100);
      }),
    );
  });
});
