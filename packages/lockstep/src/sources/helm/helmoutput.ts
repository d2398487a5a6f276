/** What `helm template` prints becomes manifests that know their template. Pure. */
import { ok, type Result } from '../../../../kube/src/env/result.ts'
import type { SourceFailure } from '../intake/sourcefailure.ts'
import { type Manifest, renderPlain } from '../intake/renderplain.ts'
import type { ChartNames } from './chartnames.ts'

/** `secret`: messages about it show no value. */
export function manifestsOf(
  printed: string,
  names: ChartNames,
  secret: boolean,
): Result<Manifest[], SourceFailure> {
  const out: Manifest[] = []
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
