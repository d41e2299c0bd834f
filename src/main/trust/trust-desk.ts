import { createHash } from 'node:crypto';
import type { TrustList, WorkspaceStatus } from '@shared/types';
import type { ApprovalRule, ApprovalScope } from '@shared/policy/approval';
import { callsGit } from '@shared/policy/git-calls';
import { readingScope } from '../approvals/approval-rules';
import type { AskConsent } from '../consent/consent';
import type { ProjectDoor } from '../ports';
import { isAtOrBelow } from '../places/protected-paths';
import { identify, type FolderIdentity } from '../places/folder';
import { directLooks, type FolderLooks } from '../files/looks';
import {
  type FolderFacts,
  gatherFolderFacts,
  inSlices,
  type Rest,
  restOf,
  trustListQuestion,
  trustQuestion,
  wideQuestion,
} from './trust-sheet';
import type { TrustBook } from './trust-book';
/** Folders in one question: more would not be read, and its window shows no more than 400 rows, of which one takes up to 36. */
const ASKED_TOGETHER = 11;
/** Rows of one kind that each of them has there. */
const NAMED_TOGETHER = 3;

export interface TrustDeskOptions {
  /** For questions that a request of the page causes: it rests after a few that were cancelled. */
  ask: AskConsent;
  /** For a person who has just picked a folder in main's own dialog: they act themselves, as often as they like. */
  askPicked: AskConsent;
  book: TrustBook;
  project: Pick<ProjectDoor, 'look' | 'guidanceFiles' | 'folderNames'>;
  dataDir: string;
  rules: () => readonly ApprovalRule[];
  /** The workspaces of all sessions, as they are stored. */
  workspaces: () => Promise<string[]>;
  looks?: FolderLooks;
}

/** Where the person is asked about folders. Every yes comes from a consent window; the page can only ask for one to be opened. */
export class TrustDesk {
  private readonly looks: FolderLooks;

  constructor(private readonly options: TrustDeskOptions) {
    this.looks = options.looks ?? directLooks;
  }

  /**
   * A person picked a folder for a session, in main's own dialog. Resolves to the folder to work in, after the sheet where it is not trusted; null if it
   * is not to be used. Rejects with a sentence where it can't be.
   */
  async picked(folder: string): Promise<string | null> {
    const { askPicked, book, dataDir } = this.options;
    const found = await this.looks.identify(folder);
    if (!found) throw new RangeError(this.whyNone(folder, 'The workspace was not changed.'));
    if ((await book.isTrusted(found.path)) || (await book.isScratch(found.path))) return found.path;
    const own = await identify(dataDir);
    if (own && isAtOrBelow(found.path, own.path))
      throw new RangeError(`${found.path} is Espalier’s own folder. Choose another; the workspace was not changed.`);
    const width = await this.looks.widthOf(found.path, dataDir);
    if (width && (await askPicked(wideQuestion(found.path, width, 'use'))) !== 'yes') return null;
    await this.askToTrust(found, askPicked);
    return found.path;
  }

  /** Opens the sheet of a folder. Resolves to whether the person trusts it now. */
  async review(folder: string): Promise<boolean> {
    if (await this.options.book.isTrusted(folder)) return true;
    const found = await this.looks.identify(folder);
    if (!found) throw new RangeError(this.whyNone(folder, 'Choose another for this session.'));
    return this.askToTrust(found);
  }

  /** Whether a folder is not here; of one that does not answer nobody knows that. */
  async isMissing(folder: string): Promise<boolean> {
    return (await this.looks.identify(folder)) === null && !this.looks.isSilent(folder);
  }

  /** What the window shows of a session's folder. `isAllowed`: whether an answer for the session covers this. */
  async status(
    folder: string,
    suggestion: string | null,
    isAllowed: (scope: ApprovalScope) => boolean = () => false,
  ): Promise<WorkspaceStatus> {
    const { book, project } = this.options;
    const [found, { isTrusted, guidance }] = await Promise.all([this.looks.identify(folder), project.look(folder)]);
    const isScratch = found !== null && (await book.isScratch(found.path));
    return {
      folder,
      trust: this.looks.isSilent(folder)
        ? 'silent'
        : found === null
          ? 'missing'
          : isScratch
            ? 'scratch'
            : isTrusted
              ? 'trusted'
              : 'restricted',
      guidance: guidance && { name: guidance.name, path: guidance.path, bytes: guidance.bytes, isCut: guidance.isCut },
      isReplaced: await book.wasReplaced(folder),
      isReadingAllowed: found !== null && isAllowed(readingScope(found)),
      // Only until it works in a folder that was chosen.
      suggestion: found === null || isScratch ? await this.suggested(found, suggestion) : null,
    };
  }

  /** What is trusted, and the folders of sessions that could be. */
  async list(): Promise<TrustList> {
    const { book } = this.options;
    return {
      trusted: await Promise.all(
        book.list().map(async ({ path, trustedAt }) => ({
          id: idOf(path),
          path,
          trustedAt: Date.parse(trustedAt),
          isReplaced: await book.wasReplaced(path),
        })),
      ),
      known: (await this.newOnes()).map(({ path, sessions }) => ({ id: idOf(path), path, sessions })),
    };
  }

  /** Asks about some of the known folders together. Resolves to how many are trusted now. */
  async trustKnown(ids: readonly string[]): Promise<number> {
    const { book } = this.options;
    const chosen = (await this.known()).filter(({ path }) => ids.includes(idOf(path)));
    const [only] = chosen;
    if (!only) return 0;
    if (chosen.length === 1) {
      if (!(await this.askToTrust(only))) return 0;
      await book.setOffered();
      return 1;
    }
    let count = 0;
    for (let from = 0; from < chosen.length; from += ASKED_TOGETHER) {
      const trusted = await this.askToTrustAll(chosen.slice(from, from + ASKED_TOGETHER));
      if (trusted === null) break;
      count += trusted;
    }
    if (count > 0) await book.setOffered();
    return count;
  }

  async withdraw(id: string): Promise<void> {
    const { book } = this.options;
    const folder = book.list().find(({ path }) => idOf(path) === id);
    if (folder) await book.withdraw(folder.path);
  }

  /** Why each of these remembered answers covers nothing now; null for those that are in force. */
  async rests(scopes: readonly ApprovalScope[]): Promise<Rest[]> {
    const { book } = this.options;
    const places = scopes.map((scope) => (scope.kind === 'command' ? scope.cwd : scope.folder));
    // The app's own workspaces are trusted without being listed; no other folder is looked at.
    const isOwn = await Promise.all(places.map((path) => book.isScratch(path)));
    const own = places.filter((_, index) => isOwn[index]);
    const candidates = [...new Set([...book.list().map(({ path }) => path), ...own])];
    const isTrusted = await Promise.all(candidates.map((path) => book.isTrusted(path)));
    const trusted = candidates.filter((_, index) => isTrusted[index]);
    const callers = await inSlices(scopes, (one) => (one.kind === 'command' && callsGit(one.command) ? [one.cwd] : []));
    const folders = new Set(callers.flat());
    const looks = trusted
      .filter((path) => folders.has(path))
      .map(async (path) => [path, await this.programsIn(path)] as const);
    const programs = new Map(await Promise.all(looks));
    return inSlices([...scopes.entries()], ([index, scope]) =>
      restOf(scope, trusted, programs.get(places[index] ?? '')),
    );
  }

  /** In a folder that does not answer nothing runs, so nothing needs to be known of it. */
  private async programsIn(folder: string): Promise<string[] | undefined> {
    return this.looks.git(folder).then(
      ({ programs }) => programs,
      () => undefined,
    );
  }

  /** Whether to tell, at this start, that the folders of earlier sessions wait for an answer. */
  async hasOffer(): Promise<boolean> {
    const { book } = this.options;
    if (book.wasOffered) return false;
    if ((await this.newOnes()).length > 0) return true;
    await book.setOffered().catch(() => undefined);
    return false;
  }

  dismissOffer(): Promise<void> {
    return this.options.book.setOffered();
  }

  private async askToTrust(found: FolderIdentity, ask = this.options.ask): Promise<boolean> {
    const { book } = this.options;
    let sheet = await this.sheetOf(found.path);
    for (let hasChanged = false; ; hasChanged = true) {
      const { width } = sheet;
      if ((await ask(trustQuestion(sheet, await book.wasReplaced(found.path), hasChanged))) !== 'trust') return false;
      if (width && (await ask(wideQuestion(found.path, width, 'trust'))) !== 'yes') return false;
      const now = await this.sheetOf(found.path);
      if (now.state === sheet.state) break;
      sheet = now;
    }
    await book.trust([found]);
    return true;
  }

  /** What there is to say of a folder now. */
  private async sheetOf(path: string, named?: number): Promise<FolderFacts> {
    const { dataDir, project, rules } = this.options;
    return gatherFolderFacts(path, await this.looks.widthOf(path, dataDir), rules(), project, this.looks, named);
  }

  private whyNone(folder: string, then: string): string {
    return this.looks.isSilent(folder)
      ? `${folder} is not responding. It may be on a network drive or a disk that is gone. ${then}`
      : `${folder} doesn’t exist or is not a folder. ${then}`;
  }

  /** How many of them are trusted now; null if the person wants none. */
  private async askToTrustAll(folders: readonly FolderIdentity[]): Promise<number | null> {
    const { ask, book } = this.options;
    const gather = (): Promise<FolderFacts[]> =>
      Promise.all(folders.map(({ path }) => this.sheetOf(path, NAMED_TOGETHER)));
    let sheets = await gather();
    let wanted: FolderIdentity[];
    for (let hasChanged = false; ; hasChanged = true) {
      if ((await ask(trustListQuestion(sheets, hasChanged))) !== 'trust') return null;
      wanted = [];
      for (const [index, folder] of folders.entries()) {
        const width = sheets[index]?.width;
        if (!width || (await ask(wideQuestion(folder.path, width, 'trust'))) === 'yes') wanted.push(folder);
      }
      const now = await gather();
      if (now.every(({ state }, index) => state === sheets[index]?.state)) break;
      sheets = now;
    }
    if (wanted.length > 0) await book.trust(wanted);
    return wanted.length;
  }

  /** Folders of sessions that are there and not trusted, the most used first. */
  private async known(): Promise<(FolderIdentity & { sessions: number })[]> {
    const { book, dataDir } = this.options;
    const own = await identify(dataDir);
    const byPath = new Map<string, FolderIdentity & { sessions: number }>();
    const counts = new Map<string, number>();
    for (const folder of await this.options.workspaces())
      if (folder !== '') counts.set(folder, (counts.get(folder) ?? 0) + 1);
    for (const [folder, sessions] of counts) {
      const found = await this.looks.identify(folder);
      if (!found || (own && isAtOrBelow(found.path, own.path)) || (await book.isTrusted(found.path))) continue;
      byPath.set(found.path, { ...found, sessions: sessions + (byPath.get(found.path)?.sessions ?? 0) });
    }
    return [...byPath.values()].sort((a, b) => b.sessions - a.sessions || (a.path < b.path ? -1 : 1));
  }

  /** Those of which the list of trusted folders says nothing yet. */
  private async newOnes(): ReturnType<TrustDesk['known']> {
    const listed = new Set(this.options.book.list().map(({ path }) => path));
    return (await this.known()).filter(({ path }) => !listed.has(path));
  }

  private async suggested(now: FolderIdentity | null, suggestion: string | null): Promise<string | null> {
    if (suggestion === null) return null;
    const found = await this.looks.identify(suggestion);
    if (!found || found.path === now?.path || (await this.options.book.isScratch(found.path))) return null;
    return found.path;
  }
}

/** What the window names a folder by: a name that only this list gives a meaning to. */
function idOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 32);
}
