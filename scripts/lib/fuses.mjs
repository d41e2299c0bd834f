import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';

/** QC1, item 19: what each fuse must be in a package (electron-builder.yml sets them). */
const FUSES = {
  RunAsNode: false,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableCookieEncryption: true,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  GrantFileProtocolExtraPrivileges: false,
};

/**
 * Reads back the fuses of an Electron executable.
 * @returns the names of those that are not as they must be, and of those that this Electron is too old to have
 */
export async function readFuses(executable) {
  const wire = await getCurrentFuseWire(executable);
  const names = Object.keys(FUSES);
  const isMissing = (name) => wire[FuseV1Options[name]] === undefined;
  // The wire holds one digit a fuse, as a character: '1' is on.
  const isWrong = (name) => wire[FuseV1Options[name]] !== (FUSES[name] ? '1' : '0').charCodeAt(0);
  const missing = names.filter(isMissing);
  return { wrong: names.filter((name) => !isMissing(name) && isWrong(name)), missing };
}
