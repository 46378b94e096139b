import { join } from 'node:path';

/** The catalogue's patches, with what checks said about them. */
export function patchFolder(configDirectory: string): string {
  return join(configDirectory, 'regressions');
}

/** Recorded rows, next to the configuration that they were recorded with. */
export function detectionFolder(configDirectory: string): string {
  return join(configDirectory, 'detection');
}

/** Folders next to gate.yml that no check measures. */
export function resultFolders(configDirectory: string): readonly string[] {
  return [patchFolder(configDirectory), detectionFolder(configDirectory)];
}
