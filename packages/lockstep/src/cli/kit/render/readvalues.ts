/** Values files as command lines name them, `-` for standard input. */
import {
  type ClusterGroupValuesFile,
  decodeValues,
  type Problem,
} from '../../../decisions/clustergroup/index.ts'
import { pathFrom } from '../documents/index.ts'
import type { CommandContext } from '../index.ts'

export interface ReadValues {
  readonly files: readonly ClusterGroupValuesFile[]
  readonly missing: readonly { readonly path: string; readonly problem: string }[]
  readonly broken: readonly Problem[]
}

/** All that can be read, from left to right, and what cannot. */
export async function readValues(c: CommandContext, paths: readonly string[]): Promise<ReadValues> {
  const files: ClusterGroupValuesFile[] = []
  const missing: { path: string; problem: string }[] = []
  const broken: Problem[] = []
  for (const path of paths) {
    if (path === '-') {
      files.push({ file: 'standard input', text: await c.host.stdin.read() })
      continue
    }
    const bytes = await c.env.files.read(pathFrom(c, path))
    if (!bytes.ok) {
      const problem = bytes.error.kind === 'NotFound' ? 'no such file' : bytes.error.message
      missing.push({ path, problem })
      continue
    }
    const file = decodeValues(path, bytes.value)
    if ('stage' in file) broken.push(file)
    else files.push(file)
  }
  return { files, missing, broken }
}
