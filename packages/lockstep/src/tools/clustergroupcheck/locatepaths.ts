/** Paths of values as places in the files that say them. */
import { type YamlPath, YamlTree } from '@lockstep/kube/object'
import type { ClusterGroupValuesFile, FilePosition } from '../../decisions/clustergroup/index.ts'

/** Where what stands at a path is written; of what is not, the map around it. */
export function locatePaths(
  files: readonly ClusterGroupValuesFile[],
  fileOf: (path: YamlPath) => string | undefined,
): (path: YamlPath) => FilePosition {
  const trees = new Map<string, YamlTree>()
  return (path) => {
    const file = fileOf(path) ?? files.at(-1)!.file
    const tree = trees.get(file) ?? new YamlTree(files.findLast((f) => f.file === file)!.text)
    trees.set(file, tree)
    return { file, ...tree.place(path, typeof path.at(-1) === 'string' ? 'key' : 'value') }
  }
}
