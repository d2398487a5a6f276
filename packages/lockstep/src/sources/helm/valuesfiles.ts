/** Where the files of `valuesFiles` are. Pure. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { resolvePath } from '../git/lstree.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { GitCheckout, HelmValuesFile } from './templaterequest.ts'

const FIELD = 'spec.render.helm.valuesFiles'

/** Paths are read from `directory`; `/x` from the root of its repository, `$name/x` from that of another one. */
export function valuesFilesOf(
  names: readonly string[],
  directory: string,
  refs: ReadonlyMap<string, GitCheckout>,
): Result<HelmValuesFile[], SourceFailure> {
  const out: HelmValuesFile[] = []
  for (const [i, name] of names.entries()) {
    const found = valuesFileOf(name, directory, refs)
    const where = `${FIELD}[${i}]: ${name}`
    if (!found.ok) return err(fault(found.error.reason, `${where}: ${found.error.text}`))
    out.push({ where, ...found.value })
  }
  return ok(out)
}

interface ValuesFileProblem {
  readonly reason: 'InvalidSpec' | 'PathEscapes'
  readonly text: string
}

function valuesFileOf(
  name: string,
  directory: string,
  refs: ReadonlyMap<string, GitCheckout>,
): Result<Omit<HelmValuesFile, 'where'>, ValuesFileProblem> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name))
    return err({ reason: 'InvalidSpec', text: 'nothing is fetched from a URL; commit the file' })
  const [first = '', ...rest] = name.split('/')
  if (!first.startsWith('$')) {
    const isFromRoot = name.startsWith('/')
    return below(isFromRoot ? '' : directory, name, {})
  }
  const of = refs.get(first.slice(1))
  if (of) return below('', rest.join('/'), { of })
  const there = [...refs.keys()].map((r) => `$${r}`).join(', ') || 'none'
  return err({
    reason: 'InvalidSpec',
    text: `spec.source.refs has no ${first.slice(1)}; there are: ${there}`,
  })
}

function below(
  directory: string,
  path: string,
  of: Pick<HelmValuesFile, 'of'>,
): Result<Omit<HelmValuesFile, 'where'>, ValuesFileProblem> {
  const resolved = resolvePath(directory, path.replace(/^\/+/, ''))
  if (resolved === undefined) return err({ reason: 'PathEscapes', text: 'leads out of the repository' })
  if (resolved === '') return err({ reason: 'InvalidSpec', text: 'is not a file' })
  return ok({ path: resolved, ...of })
}
