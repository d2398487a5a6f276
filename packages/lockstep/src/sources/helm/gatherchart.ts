/** The files of a chart, and those of values that lie outside the hub: what Helm is run on. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { canonicalJson, sha256Hex } from '@lockstep/kube/object'
import type { GitMirror } from '../git/gitmirror.ts'
import { readNamed, readTree } from '../git/readtree.ts'
import { withoutLines } from '../intake/ignorefile.ts'
import type { ManifestText } from '../intake/renderplain.ts'
import { fault, inField, type SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceTree, TreeFile } from '../intake/sourcetree.ts'
import type { HelmChart } from './templatechart.ts'
import {
  type ChartPackage,
  chartOrigin,
  type GitCheckout,
  type HelmValuesFile,
  type TemplateRequest,
} from './templaterequest.ts'

/** Does something in a repository that has the commit. One at a time in each. */
export type InCheckout = <T>(
  of: GitCheckout,
  work: (repository: GitMirror) => Promise<Result<T, SourceFailure>>,
) => Promise<Result<T, SourceFailure>>

/** Equal questions of one scope have the same answer. Where chance is allowed, each module has its own. */
export function chartKey(
  { chart, directory, ignore, valuesFiles, options, values }: TemplateRequest,
  asking: { readonly who: string; readonly namespace: string },
  scope: string,
): string {
  const of = ({ git, picked }: GitCheckout) => [
    git.url,
    git.secretRef ? `${asking.namespace}/${git.secretRef.name}` : '',
    picked.commit,
  ]
  // Who may see an archive has been asked already: its digest is all of it.
  const own = 'git' in chart ? of(chart) : [chart.helm.chart, chart.picked.digest]
  const files = valuesFiles.map((f) => [f.path, f.of ? of(f.of) : '', f.where])
  const question = [scope, own, directory, ignore ?? '', files, options, values]
  // Values may be secret: what stays in memory does not show them.
  return sha256Hex(canonicalJson([options.allowRandom ? asking.who : '', question] as never))
}

/** One repository after the other: two of them may be the same one. */
export async function gatherChart(
  question: TemplateRequest,
  inCheckout: InCheckout,
): Promise<Result<HelmChart, SourceFailure>> {
  const { chart, directory, options } = question
  const own = question.valuesFiles.filter((f) => !f.of).map((f) => f.path)
  const read =
    'git' in chart
      ? await readChart(chart, directory, own, inCheckout)
      : ok({ ...chart, files: chart.tree.files })
  if (!read.ok) return read
  const { tree, files } = read.value
  const values: ManifestText[] = []
  for (const wanted of question.valuesFiles) {
    const found = wanted.of ? await readOne(wanted.of, wanted, inCheckout) : ok(fileAt(files, wanted.path))
    if (!found.ok) return found
    if (!found.value && options.ignoreMissingValuesFiles) continue
    const text = found.value ? valuesText(found.value, wanted) : err(missing(wanted, wanted.of ?? chart))
    if (!text.ok) return text
    values.push(text.value)
  }
  values.push(...question.values)
  return ok({ tree: withoutLines(tree, question.ignore), directory, values, options })
}

function readChart(
  chart: GitCheckout,
  directory: string,
  own: readonly string[],
  inCheckout: InCheckout,
): Promise<Result<{ readonly tree: SourceTree; readonly files: readonly TreeFile[] }, SourceFailure>> {
  const { picked } = chart
  return inCheckout(chart, async (repository) => {
    const tree = await readTree(repository, { picked, path: directory, wants: () => true })
    if (!tree.ok) return tree
    const files = await readNamed(repository, picked, own)
    return files.ok ? ok({ tree: tree.value, files: files.value }) : files
  })
}

const fileAt = (files: readonly TreeFile[], path: string): TreeFile | undefined =>
  files.find((f) => f.path === path)

async function readOne(
  of: GitCheckout,
  { path, where }: HelmValuesFile,
  inCheckout: InCheckout,
): Promise<Result<TreeFile | undefined, SourceFailure>> {
  const files = await inCheckout(of, (repository) => readNamed(repository, of.picked, [path]))
  if (files.ok) return ok(fileAt(files.value, path))
  return err(inField(files.error, where))
}

function missing({ where, path }: HelmValuesFile, of: GitCheckout | ChartPackage): SourceFailure {
  return fault('PathMissing', { field: where, place: chartOrigin(of), because: 'File', path })
}

function valuesText(
  { path, bytes }: TreeFile,
  { where }: HelmValuesFile,
): Result<ManifestText, SourceFailure> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return err(fault('RenderFailed', { field: where, place: path, because: 'Encoding' }))
  }
  if (text.startsWith('version https://git-lfs'))
    return err(fault('RenderFailed', { field: where, place: path, because: 'Lfs' }))
  return ok({ origin: path, text })
}
