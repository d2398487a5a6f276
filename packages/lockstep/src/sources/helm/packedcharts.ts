/** Charts that lie packed in charts/: Helm unpacks them for itself, we do to look at them. Pure. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { unpackChartArchive } from '../helmrepository/chartarchive.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import { MAX_FILES, MAX_TREE_BYTES, type SourceTree, type TreeFile } from '../intake/sourcetree.ts'

/** A chart in a chart in a chart: deeper than anybody packs. */
const MAX_DEPTH = 8

export const isPackedChart = ({ path }: TreeFile): boolean => /(^|\/)charts\/[^/]+\.tgz$/.test(path)

/** The tree, and below the name of each packed chart what is in it. Nothing of it is given to Helm. */
export function withPackedCharts(tree: SourceTree): Result<readonly TreeFile[], SourceFailure> {
  const files = [...tree.files]
  let fresh = files.filter(isPackedChart)
  for (let depth = 0; fresh.length > 0; depth++) {
    const next: TreeFile[] = []
    for (const { path, bytes } of fresh) {
      const found = depth < MAX_DEPTH ? unpackChartArchive(bytes) : err(`is packed ${MAX_DEPTH} times over`)
      if (!found.ok)
        return err(
          fault('ArchiveRefused', { place: 'helm', because: 'Invalid', name: path, error: found.error }),
        )
      next.push(...found.value.files.map((f) => ({ ...f, path: `${path}/${f.path}` })))
      if (isTooMuch([...files, ...next]))
        return err(
          fault('SourceTooLarge', {
            place: `helm: ${path}`,
            limit: `${MAX_FILES} files or 64 MiB when unpacked`,
          }),
        )
    }
    files.push(...next)
    fresh = next.filter(isPackedChart)
  }
  return ok(files)
}

const isTooMuch = (files: readonly TreeFile[]): boolean =>
  files.length > MAX_FILES || files.reduce((sum, f) => sum + f.bytes.length, 0) > MAX_TREE_BYTES
