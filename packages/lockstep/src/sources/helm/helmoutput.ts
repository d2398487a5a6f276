/** What `helm template` prints becomes manifests that know their template. Pure. */
import { ok, type Result } from '@lockstep/kube/env'
import { renderPlain, type SourceManifest } from '../intake/renderplain.ts'
import type { SourceFailure } from '../intake/sourcefailure.ts'
import type { ChartNames } from './chartnames.ts'

/** `secret`: messages about it show no value. */
export function manifestsOfHelmOutput(
  printed: string,
  names: ChartNames,
  secret: boolean,
): Result<SourceManifest[], SourceFailure> {
  const out: SourceManifest[] = []
  for (const part of printed.split(/^---\n(?=# Source: )/m)) {
    const source = /^# Source: (.*)\n/.exec(part)?.[1]
    const file = source === undefined ? 'helm' : names.inRepository(source)
    const text = { origin: `output of ${file}`, text: part, ...(secret ? ({ secret } as const) : {}) }
    const found = renderPlain([text])
    if (!found.ok) return found
    // Which of its documents it is, nobody could tell: Helm sorts them.
    out.push(...found.value.map((m) => ({ ...m, origin: file })))
  }
  return ok(out)
}
