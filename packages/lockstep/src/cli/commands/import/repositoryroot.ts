/** Where files are in the Git repository of the folder in which the command runs. */
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { CommandContext } from '../../kit/index.ts'

/** Without a repository they stay as they are named. Standard input is nowhere. */
export async function pathInRepository(c: CommandContext): Promise<(file: string) => string> {
  const root = await findRepositoryRoot(c, c.host.cwd)
  if (root === undefined) return (file) => file
  return (file) => (isAbsolute(file) ? relative(root, file) : join(relative(root, c.host.cwd), file))
}

/** A folder with `.git` in it, which is a file in work trees. */
export async function findRepositoryRoot(c: CommandContext, folder: string): Promise<string | undefined> {
  const listed = await c.env.files.list(folder)
  if (listed.ok && listed.value.some((e) => e.name === '.git')) return folder
  return dirname(folder) === folder ? undefined : findRepositoryRoot(c, dirname(folder))
}
