import { z } from 'zod'
import { allBelow, drawField, fieldFacts, fieldsOf, findField, schemaField } from '../../kit/explain/index.ts'
import { CLUSTERS, type Command, failed, isSet, kindOfWord } from '../../kit/index.ts'
import { defineReport, printData } from '../../kit/output/index.ts'

export const explainReport = defineReport('Explain', {
  field: schemaField,
  fields: z.array(schemaField).readonly().describe('Fields below it; with --recursive, all of them.'),
})

/** `lockstep explain`. */
export const explainCommand: Command = {
  name: 'explain',
  summary: 'Describe a field of a kind',
  arguments: '<kind.field>',
  completes: ['field'],
  detail:
    'Uses the schemas of this program, without a server. Lists need no index: module.spec.dependsOn.id.',
  options: [{ flags: '--recursive', text: 'all fields below it, without descriptions' }],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['List the fields of a Module', 'explain module'],
    ['Describe rollout settings', 'explain module.spec.rollout'],
    ['List all fields', 'explain module.spec --recursive'],
    ['Print paths for scripts', 'explain inventory.status --recursive -o name'],
  ],
  async run(c, args, flags) {
    const [word = '', ...path] = args[0]!
      .replace(/\[[^\]]*\]/g, '')
      .split('.')
      .filter((step) => step !== '')
    const kind = kindOfWord(word)
    if (!kind.ok) return kind
    if (kind.value === CLUSTERS)
      return failed('E_USAGE', {
        problem: 'a cluster is a Secret with the label lockstep.dev/cluster=true and a key kubeconfig',
        suggestion: 'to list clusters, use lockstep get clusters',
      })
    const found = findField(kind.value, path)
    if (!found.ok) return found
    const recursive = isSet(flags, 'recursive')
    const below = (recursive ? allBelow(found.value) : fieldsOf(found.value)).map(fieldFacts)
    const facts = explainReport.fill({ field: fieldFacts(found.value), fields: below })
    const names = below.map((f) => f.path)
    if (!printData(c, facts, names))
      for (const line of drawField(c.terminal, found.value, recursive)) c.terminal.print(line)
    return { ok: true, value: 0 }
  },
}
