/** The exit code of an invalid configuration: EX_CONFIG of sysexits.h. A supervisor need not start the process again. */
export const EXIT_OF_SETTINGS = 78;

/**
 * A setting that only the start can find wrong: it does not fit a file or the data. The message names the setting. The process ends with
 * EXIT_OF_SETTINGS.
 */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
