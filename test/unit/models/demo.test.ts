import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { nextReply } from '../../../src/main/models/demo/script';
import { summarizeText } from '../../../src/main/models/demo/summary';
import { SUMMARY_PROMPTS, withLength } from '../../../src/main/compaction/summarize';
import { summaryBody } from '@shared/compaction/request-body';
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

const conversation = [
  '[User]: Move the job queue to an outbox table. Never drop the old table in the same deploy.',
  '[Assistant]: I chose dual writes because a crash must not lose jobs. See src/queue/enqueue.ts.',
  '[Assistant tool calls]: edit(path="src/queue/enqueue.ts", edits=[])',
  '[Tool result: bash, failed]: error: relation "outbox" does not exist',
  '[User]: Add the migration in db/0042_outbox.sql first.',
].join('\n\n');

describe('WN17: its titles', () => {
  const titled = (question: string): string =>
    nextReply({
      systemPrompt: 'From the excerpt below write one title of two to six words',
      messages: [{ role: 'user', content: `<excerpt>\n${question}\n\nAn answer.\n</excerpt>`, timestamp: 0 }],
    }).text;

  it.each([
    [
      'Could you please move the job queue to an outbox table? It stalls.',
      'Move the job queue to an'.replace(/ to an$/, ''),
    ],
    ['**Fix** the `parser`.', 'Fix the parser'],
    ['Hello, why do imports stall', 'Why do imports stall'],
    ['', 'An answer'],
  ])('say what is asked for: %s', (question, title) => expect(titled(question)).toBe(title));

  it('are a few words without Markdown and full stop, whatever is asked', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (question) => {
        const title = titled(question);
        expect(title).not.toBe('');
        expect(title.split(/\s+/).length).toBeLessThanOrEqual(6);
        expect(title).not.toMatch(/[.*`#]$|\n/);
      }),
    );
  });
});

describe('WN17: its summaries', () => {
  const request = (prompt: string, instructions?: string, previousSummary?: string): string =>
    summarizeText(summaryBody({ conversation, prompt, instructions, previousSummary }));
  const headings = (text: string): string[] => [...text.matchAll(/^#{2,3} .+$/gm)].map(([heading]) => heading);

  it.each([
    ['a compaction', SUMMARY_PROMPTS.first],
    ['another compaction', SUMMARY_PROMPTS.update],
    ['a split turn', SUMMARY_PROMPTS.prefix],
    ['a branch', SUMMARY_PROMPTS.branch],
    ['a handoff', SUMMARY_PROMPTS.handoff.replace('{{goal}}', 'Finish the outbox migration')],
  ])('have the headings that %s asks for, in its order, each with something or “(none)”', (_what, prompt) => {
    const written = request(withLength(prompt, 4096));
    expect(headings(written)).toEqual(headings(prompt));
    for (const part of written.split(/^#{2,3} .+$/m).slice(1)) {
      if (part.trim() === '') continue;
      expect(part.trim()).toMatch(/^(\(none\)|- |1\. )/);
    }
  });

  it('show that instructions were followed: what is asked for stands first, and in any length', () => {
    const asked = request(SUMMARY_PROMPTS.first, 'everything about the crash');
    const facts = asked.slice(asked.indexOf('## Critical Context'));
    expect(facts.split('\n')[1]).toContain('a crash must not lose jobs');
    const other = request(SUMMARY_PROMPTS.first, 'the migration');
    expect(other.slice(other.indexOf('## Critical Context')).split('\n')[1]).toContain('migration');
  });

  it('keep each rule with all that was said beside it, and call no question a rule', () => {
    const rules = summarizeText(
      `<conversation>\n[User]: Never load the whole file. Not even in tests.\n\n[User]: Is it never in memory?\n</conversation>\n\n${SUMMARY_PROMPTS.first}`,
    );
    const [, part = ''] = /## Constraints & Preferences\n([\s\S]*?)\n## /.exec(rules) ?? [];
    expect(part).toBe('- Never load the whole file. Not even in tests.');
  });

  it('stay within the words that they may have', () => {
    const long = Array.from(
      { length: 80 },
      (_, at) => `[User]: Step ${at}, please.\n\n[Assistant]: I chose file${at}.ts because step ${at} was next.`,
    ).join('\n\n');
    const written = summarizeText(
      summaryBody({ conversation: long, prompt: withLength(SUMMARY_PROMPTS.branch, 2000) }),
    );
    expect(written.split(/\s+/).length).toBeLessThanOrEqual(880);
    expect(written).toContain('Step 79');
  });

  it('hand over towards the goal: it is the task, and what has to do with it comes first', () => {
    const draft = request(SUMMARY_PROMPTS.handoff.replace('{{goal}}', 'Write the outbox migration'));
    expect(draft).toMatch(/^## Task\n- Write the outbox migration\n/);
    expect(draft).toMatch(/## What must be kept to\n- Move the job queue to an outbox table\. Never drop/);
    expect(draft).toMatch(/## First steps\n1\. Read src\/queue\/enqueue\.ts/);
  });

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
