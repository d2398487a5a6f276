/** Which repository values files lie in, and where it comes from: read from its own files, nothing is asked. */
import { dirname, isAbsolute, join, relative } from 'node:path'
import {
  branchIn,
  type GroupSource,
  gitOriginIn,
  sourceUrlOf,
} from '../../../tools/clustergroupimport/index.ts'
import { pathFrom } from '../../kit/documents/index.ts'
import type { CommandContext } from '../../kit/index.ts'
import { gitProblem } from './gitproblem.ts'
import { findRepositoryRoot } from './repositoryroot.ts'

/** Paths from the root of the repository; as they are named where there is none. */
export async function valuesOriginOf(c: CommandContext, files: readonly string[]): Promise<GroupSource> {
  const full = files.map((file) => pathFrom(c, file))
  const nowhere = (problem: string): GroupSource => ({ git: undefined, problem, valuesFiles: files })
  const root = await findRepositoryRoot(c, dirname(full[0]!))
  if (root === undefined) return nowhere('the files are in none')
  const valuesFiles = full.map((file) => relative(root, file))
  const outside = valuesFiles.findIndex((file) => file.startsWith('..') || isAbsolute(file))
  if (outside >= 0) return nowhere(`${files[outside]} is in another place than ${files[0]}`)
  const { config, head } = await factsOf(c, join(root, '.git'))
  const remote = gitOriginIn(config ?? '')
  if (remote === undefined) return { ...nowhere('it has no remote origin'), valuesFiles }
  const branch = branchIn(head ?? '')
  if (branch === undefined) return { ...nowhere('it is on no branch'), valuesFiles }
  const git = { url: sourceUrlOf(remote), ref: { branch } }
  const problem = gitProblem({ ...git, path: '.' })
  return problem
    ? { ...nowhere(`${problem.field} of its origin: ${problem.problem}`), valuesFiles }
    : { git, valuesFiles }
}

/** Of a work tree `.git` is a file that names a folder, which names the one that all work trees share. */
async function factsOf(
  c: CommandContext,
  place: string,
): Promise<{ readonly config: string | undefined; readonly head: string | undefined }> {
  const named = /^gitdir: (.+)$/m.exec((await textIn(c, place)) ?? '')?.[1]
  const own = named === undefined ? place : inside(dirname(place), named)
  const shared = (await textIn(c, join(own, 'commondir')))?.trim()
  const common = shared === undefined ? own : inside(own, shared)
  return { config: await textIn(c, join(common, 'config')), head: await textIn(c, join(own, 'HEAD')) }
}

const inside = (folder: string, path: string): string => (isAbsolute(path) ? path : join(folder, path))

async function textIn(c: CommandContext, path: string): Promise<string | undefined> {
  const read = await c.env.files.read(path)
  return read.ok ? new TextDecoder().decode(read.value) : undefined
}
