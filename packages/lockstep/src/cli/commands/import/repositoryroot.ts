/** Where files are in the Git repository of the folder in which the command runs. */
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { Context } from '../../kit/command.ts'

/** Without a repository they stay as they are named. Standard input is nowhere. */
export async function placeInRepository(c: Context): Promise<(file: string) => string> {
  const root = await rootAbove(c, c.host.cwd)
  if (root === undefined) return (file) => file
  return (file) => (isAbsolute(file) ? relative(root, file) : join(relative(root, c.host.cwd), file))
}

/** A folder with `.git` in it, which is a file in work trees. */
export async function rootAbove(c: Context, folder: string): Promise<string | undefined> {
  const listed = await c.env.files.list(folder)
  if (listed.ok && listed.value.some((e) => e.name === '.git')) return folder
  return dirname(folder) === folder ? undefined : rootAbove(c, dirname(folder))
}
