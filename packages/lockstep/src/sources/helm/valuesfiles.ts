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
    if (!found.ok) {
      const { problem } = found.error
      return err(
        problem === undefined
          ? fault('PathEscapes', { field: `${FIELD}[${i}]`, because: 'Outside', path: name })
          : fault('InvalidSpec', { field: where, problem }),
      )
    }
    out.push({ where, ...found.value })
  }
  return ok(out)
}

interface ValuesFileProblem {
  /** Undefined: the path is outside the repository. */
  readonly problem: string | undefined
}

function valuesFileOf(
  name: string,
  directory: string,
  refs: ReadonlyMap<string, GitCheckout>,
): Result<Omit<HelmValuesFile, 'where'>, ValuesFileProblem> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) return err({ problem: 'URLs are not fetched; commit the file' })
  const [first = '', ...rest] = name.split('/')
  if (!first.startsWith('$')) {
    const isFromRoot = name.startsWith('/')
    return below(isFromRoot ? '' : directory, name, {})
  }
  const of = refs.get(first.slice(1))
  if (of) return below('', rest.join('/'), { of })
  const there = [...refs.keys()].map((r) => `$${r}`).join(', ') || 'none'
  return err({ problem: `spec.source.refs has no ${first.slice(1)}; refs: ${there}` })
}

function below(
  directory: string,
  path: string,
  of: Pick<HelmValuesFile, 'of'>,
): Result<Omit<HelmValuesFile, 'where'>, ValuesFileProblem> {
  const resolved = resolvePath(directory, path.replace(/^\/+/, ''))
  if (resolved === undefined) return err({ problem: undefined })
  if (resolved === '') return err({ problem: 'not a file' })
  return ok({ path: resolved, ...of })
}
