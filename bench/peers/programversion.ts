import { spawnSync } from 'node:child_process'

/** The first line that a program prints of its version. */
export const versionOf = (program: string): string =>
  (spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '').split('\n')[0]!.trim()
