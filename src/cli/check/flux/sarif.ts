/** The same as SARIF 2.1.0: what code scanning of Git hosts reads. */
import type { FluxFinding, Related } from '../../../core/flux/check/finding.ts'
import { type RuleId, ruleIds, rules } from '../../../core/flux/check/rules.ts'
import type { FilePlace } from '../../../core/flux/manifest.ts'
import { type FluxResult, skippedOf, unreadableOf } from './report.ts'

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json'

export function sarifOf(r: FluxResult, version: string): object {
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'lockstep', version, rules: ruleIds.map(ruleFacts) } },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: unreadableOf(r).length === 0,
            toolExecutionNotifications: [
              ...unreadableOf(r).map((u) => notification('error', u, u.problem)),
              ...skippedOf(r).map((s) => notification('note', s, s.message)),
            ],
          },
        ],
        results: [
          ...r.check.findings.map((f) => resultOf(f)),
          ...r.check.ignored.map((i) => ({
            ...resultOf(i.finding),
            suppressions: [{ kind: 'inSource', justification: i.reason }],
          })),
        ],
      },
    ],
  }
}

const idOf = (rule: RuleId): string => `lockstep/${rule}`

const ruleFacts = (rule: RuleId) => ({
  id: idOf(rule),
  name: rules[rule].name,
  shortDescription: { text: rules[rule].text },
})

/** The steps of the race are lines of the text: not every reader shows what is beside it. */
const resultOf = (f: FluxFinding) => ({
  ruleId: idOf(f.rule),
  ruleIndex: ruleIds.indexOf(f.rule),
  level: f.level,
  message: {
    text: `${f.message}\n${f.race.map((step, i) => `${i + 1}. ${step}`).join('\n')}\nFix: ${f.fix}`,
  },
  locations: [locationOf(f.place)],
  relatedLocations: f.related.map((r: Related, i) => ({
    id: i + 1,
    message: { text: r.message },
    ...locationOf(r.place),
  })),
})

const locationOf = (p: FilePlace) => ({
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

const notification = (level: 'error' | 'note', at: FilePlace, text: string) => ({
  level,
  message: { text },
  locations: [locationOf(at)],
})
