/**
 * Every limit of the tools, named and with its reason, so that code, prompts and hostile-input tests use the same figures.
 * Bytes are UTF-8 bytes, times are milliseconds.
 */

/** Text that one tool result carries: lines. Ten full results still fit a 200k-token window. */
export const MAX_TOOL_OUTPUT_LINES = 2_000;
/** Text that one tool result carries: bytes (about 12k tokens), whichever of the two is reached first. */
export const MAX_TOOL_OUTPUT_BYTES = 50 * 1024;

/** Longest path that a tool takes: Linux's PATH_MAX. */
export const MAX_PATH_CHARS = 4_096;

/** Largest image given to a model: 3.75 MB become the 5 MB of base64 that the strictest provider takes. */
export const MAX_IMAGE_BYTES = 3_750_000;
/** A file starting with a NUL in this many bytes is binary: git's own rule. */
export const BINARY_SNIFF_BYTES = 8_000;
/** `read` counts the lines of a file up to this size; of a larger one it only says that more follows. */
export const MAX_LINE_COUNT_BYTES = 64 * 1024 * 1024;

/** Largest file that `write` and `edit` take: its diff must still be shown whole before it is allowed. */
export const MAX_WRITE_BYTES = 5 * 1024 * 1024;
/** Changed lines up to which a minimal diff is computed (under 0.1 s); the search is quadratic, so beyond it one block replaces another. */
export const MAX_DIFF_EDIT_LENGTH = 1_000;
/** Diff kept in a result's details, which the journal stores. The card shows all of it. */
export const MAX_STORED_DIFF_BYTES = 256 * 1024;
/** Lines of a file up to which a minimal diff is looked for, and a failed edit explained by its lines. */
export const MAX_DIFF_LINES = 200_000;
/** Time that the search for a minimal diff may take. */
export const DIFF_TIMEOUT_MS = 2_000;
/** Edits in one `edit` call. */
export const MAX_EDITS = 100;
/** Places that one `edit` call may replace. */
export const MAX_REPLACEMENTS = 100_000;

/** Longest command: Linux takes 128 KiB in one argument, and the bootstrap needs room. */
export const MAX_COMMAND_BYTES = 100 * 1024;
/** Characters of a command that main reads for what stands out, so that none holds it up; a longer one is asked for each time. */
export const MAX_READ_COMMAND_CHARS = 2_000;
/** The same of a call of a tool that is not ours, in which nothing but what hides is looked for. */
export const MAX_READ_CALL_CHARS = 20_000;
/** Time a command gets if the call names none: a test suite fits, a hung server does not stop the day. */
export const DEFAULT_COMMAND_TIMEOUT_MS = 300_000;
/** Longest time that a call may ask for. */
export const MAX_COMMAND_TIMEOUT_MS = 3_600_000;
/** From SIGTERM to SIGKILL: with the rest of a stop it stays under the 2 s of QR8. */
export const KILL_GRACE_MS = 700;
/** How long output is awaited after the shell ended: a background child that holds the pipe cannot hold the call. */
export const DRAIN_GRACE_MS = 250;
/** Complete output kept on disk for one command; what follows is counted and dropped. */
export const MAX_FULL_OUTPUT_BYTES = 1024 * 1024 * 1024 + 1024 * 1024;
/** Outputs kept for one session; beyond it the oldest give way. The largest single one fits, and one more. */
export const MAX_SESSION_OUTPUT_BYTES = 2 * 1024 * 1024 * 1024;
/** While an output is being kept, quota and disk are looked at each time that it has grown by this much. */
export const ROOM_STEP_BYTES = 16 * 1024 * 1024;
/** What outputs leave free of the disk: sessions must go on being saved. */
export const MIN_FREE_DISK_BYTES = 256 * 1024 * 1024;
/** Live output crosses to the window at most this often: a few frames. */
export const LIVE_OUTPUT_INTERVAL_MS = 50;
/** Live output of one interval; of more only the end is sent. */
export const MAX_LIVE_OUTPUT_CHARS = 16_384;
/** Processes and threads of the user while a command runs (`ulimit -u`): a fork bomb ends, a desktop does not notice. */
export const MAX_COMMAND_PROCESSES = 4_096;

/** Matches that `grep` gives unless asked otherwise, and at most. */
export const DEFAULT_GREP_MATCHES = 100;
export const MAX_GREP_MATCHES = 1_000;
/** Characters of a matching line that are shown: minified files would fill a result with one line. */
export const MAX_GREP_LINE_CHARS = 500;
/** Longest pattern of `grep`. */
export const MAX_GREP_PATTERN_CHARS = 10_000;
/** Characters of a line that the expression sees. */
export const MAX_GREP_SEARCH_CHARS = 20_000;
/** Files above this size are not searched. */
export const MAX_GREP_FILE_BYTES = 10 * 1024 * 1024;
/** Lines of context around a match. */
export const MAX_GREP_CONTEXT = 20;

/** Names that `find` gives unless asked otherwise, and at most. */
export const DEFAULT_FIND_RESULTS = 1_000;
export const MAX_FIND_RESULTS = 10_000;
/** Files that one walk visits: more is a home folder, not a project. */
export const MAX_WALK_FILES = 300_000;
/** A .gitignore above this size, or with too many rules for the ones above it, does not count: each rule is tried on each name. */
export const MAX_IGNORE_FILE_BYTES = 1024 * 1024;
export const MAX_IGNORE_RULES = 20_000;

/** Work on files that takes longer is ended with its worker: a catastrophic expression never ends by itself. */
export const FILE_WORK_TIMEOUT_MS = 20_000;
/** The longest that work on files waits for a free worker. */
export const FILE_WORK_QUEUE_MS = 120_000;
/** Memory of one worker for files: two sides of the largest diff and their lines. MiB. */
export const FILE_WORKER_HEAP_MB = 512;
/** Entries that `ls` gives unless asked otherwise, and at most. */
export const DEFAULT_LS_ENTRIES = 500;
export const MAX_LS_ENTRIES = 5_000;

/** What the person wants to be told to every model, everywhere or in one workspace: about 5,000 tokens. */
export const MAX_INSTRUCTION_CHARS = 20_000;
