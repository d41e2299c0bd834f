import type { AttentionDesk } from '../../attention/attention-desk';
import type { BrowserWindow } from 'electron';
import type { Bootstrap, Notice } from '@shared/types';
import type { DataMover } from '../../data-folder/data-mover';
import type { DrawingMarker } from '../../own-files/drawing-marker';
import type { ShownSession } from '../../own-files/shown-session';
import type { EventChannel, LastWrites } from '../event-channel';
import type { StorageLook } from '../../own-files/storage-sizes';
import type { Log, SessionStore } from '../../ports';
import type { AppPaths } from '../../paths';
import type { Patiently } from '../../consent/ask-limit';
import type { AskConsent } from '../../consent/consent';
import type { OutwardDoor } from '../outward-door';
import type { ChosenFiles } from '../chosen-files';
import type { Credentials } from '../../models/credentials';
import type { EndpointBook } from '../../models/endpoints';
import type { KeyGuard } from '../../models/key-guard';
import type { MakeReadable } from '../../readable/readable';
import type { Registry } from '../../models/registry';
import type { SessionHost } from '../../session/host/session-host';
import type { SettingsGuard } from '../../settings/settings-guard';
import type { SettingsStore } from '../../settings/settings-store';
import type { SearchService } from '../../search/search-service';
import type { SyncService } from '../../sync/sync-service';
import type { Approvals } from '../../approvals/approvals';
import type { FolderImport } from '../../folder-import/folder-import';
import type { ExtensionHostView } from '../../extensions/host-view';
import type { ExtensionDesk } from '../../extensions/ui/extension-desk';
import type { FileWorkers } from '../../files/file-workers';
import type { SlashCommands } from '../../slash/slash-commands';
import type { InstructionBook } from '../../project/instruction-book';
import type { Project } from '../../trust/project-door';
import type { TrustBook } from '../../trust/trust-book';
import type { TrustDesk } from '../../trust/trust-desk';
import type { McpParts } from '../../mcp/mcp-parts';
import type { Tour } from '../../tour/tour';

/** Everything that the handlers act on: the app's parts, put together in app/services.ts. */
export interface AppParts {
  paths: AppPaths;
  log: Log;
  channel: EventChannel;
  lastWrites: LastWrites;
  drawing: DrawingMarker;
  shown: ShownSession;
  settings: SettingsStore;
  settingsGuard: SettingsGuard;
  credentials: Credentials;
  endpoints: EndpointBook;
  registry: Registry;
  keyGuard: KeyGuard;
  store: SessionStore;
  /** Makes copies for reading. */
  readable: MakeReadable;
  host: SessionHost;
  approvals: Approvals;
  /** What folders say of themselves, where the person trusts them. */
  project: Project;
  /** What the person wants to be told to every model. */
  instructions: InstructionBook;
  /** What can be typed behind a slash besides the app's own commands. */
  slash: SlashCommands;
  /** What extensions ask and show. */
  extensionDesk: ExtensionDesk;
  /** What runs them; null: nothing does. */
  extensionHost: ExtensionHostView | null;
  /** Ends their processes. */
  closeExtensions: () => void;
  mcp: McpParts;
  files: FileWorkers;
  sync: SyncService;
  search: SearchService;
  attention: AttentionDesk;
  /** The folders that the person trusts. */
  trust: TrustBook;
  trustDesk: TrustDesk;
  tour: Tour;
  /** The import of all sessions of a folder. */
  imports: FolderImport;
  storage: StorageLook;
  mover: DataMover;
  /** Tells, if there is anything to offer, that the folders of earlier sessions wait for an answer. */
  offerTrust: () => Promise<void>;
  /** What the person chose in dialogs or dropped. */
  chosenFiles: ChosenFiles;
  /** Before the system's file manager is opened. */
  folders: OutwardDoor;
  window: () => BrowserWindow | null;
  /** Main's own questions, which the page can neither see nor answer. */
  ask: AskConsent;
  /** Brings the one that is open to the front. */
  showQuestion: () => void;
  /** For what the system asks a person because the page wants it: links, files. */
  patiently: Patiently;
  keyring: () => Bootstrap['keyring'];
  /** The window's database stopped or started to take what it is given. */
  onDatabaseState: (state: string, detail: string) => void;
  /** What was noticed while starting. */
  notices: readonly Notice[];
}
