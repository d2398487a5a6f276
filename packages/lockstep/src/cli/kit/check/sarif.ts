/** Findings as SARIF 2.1.0: what code scanning of Git hosts reads. */
import type { FilePosition } from '../../../decisions/clustergroup/index.ts'

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json'

export interface Sarif {
  readonly rules: readonly { readonly id: string; readonly name: string; readonly text: string }[]
  readonly results: readonly SarifResult[]
  /** What could not be read. */
  readonly unreadable: readonly SarifNotice[]
  readonly notLookedAt: readonly SarifNotice[]
}

export interface SarifResult {
  readonly rule: string
  readonly level: 'error' | 'warning' | 'note'
  readonly text: string
  readonly place: FilePosition
  readonly related: readonly { readonly place: FilePosition; readonly message: string }[]
  /** Why it is silenced. */
  readonly silenced?: string
}

interface SarifNotice extends FilePosition {
  readonly text: string
}

export const sarifOf = ({ rules, results, unreadable, notLookedAt }: Sarif, version: string): object => ({
  $schema: SCHEMA,
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 'lockstep', version, rules: rules.map(ruleFacts) } },
      columnKind: 'utf16CodeUnits',
      invocations: [
        {
          executionSuccessful: unreadable.length === 0,
          toolExecutionNotifications: [
            ...unreadable.map((u) => notification('error', u)),
            ...notLookedAt.map((s) => notification('note', s)),
          ],
        },
      ],
      results: results.map((r) =>
        resultOf(
          r,
          rules.findIndex((rule) => rule.id === r.rule),
        ),
      ),
    },
  ],
})

const idOf = (rule: string): string => `lockstep/${rule}`

const ruleFacts = ({ id, name, text }: Sarif['rules'][number]) => ({
  id: idOf(id),
  name,
  shortDescription: { text },
})

const resultOf = ({ rule, level, text, place, related, silenced }: SarifResult, ruleIndex: number) => ({
  ruleId: idOf(rule),
  ruleIndex,
  level,
  message: { text },
  locations: [locationOf(place)],
  relatedLocations: related.map((r, i) => ({
    id: i + 1,
    message: { text: r.message },
    ...locationOf(r.place),
  })),
  ...(silenced === undefined ? {} : { suppressions: [{ kind: 'inSource', justification: silenced }] }),
})

const locationOf = (p: FilePosition) => ({
  physicalLocation: {
    artifactLocation: { uri: uriOf(p.file) },
    region: { startLine: p.line, startColumn: p.column },
  },
})

/** Relative to where the command ran; a state of Git is no file. */
const uriOf = (file: string): string => {
  const path = file.replace(/^git:[^:]*:/, '')
  return encodeURI(path.startsWith('/') ? `file://${path}` : path)
}

const notification = (level: 'error' | 'note', at: SarifNotice) => ({
  level,
  message: { text: at.text },
  locations: [locationOf(at)],
})
