import { type Command, isSet, textFlag } from '../command.ts'
import { failed } from '../failure.ts'
import { importFiles } from '../import/run.ts'
import { IMPORT_TOPICS } from '../import/topics.ts'
import { nearest } from '../terminal/text.ts'

/** `lockstep import`. */
export const importCommand: Command = {
  name: 'import',
  summary: 'Make Modules of what another tool has',
  arguments: '<tool> [paths...]',
  completes: ['importTopic', 'file'],
  detail: [
    'import flux PATH...: reads Kustomizations and their sources in files, folders or - (standard input), without a cluster, and makes one Module of each. Name the folder that Flux reads for one cluster. Manifests are read as they are: of overlays, pipe in what kustomize build prints.',
    'import fleeet PATH...: the same of Modules and BootstrapModules of Fleeet, with their bindings. What each field becomes: docs/reference/import-fleeet.md.',
    'What a Module cannot say is listed with its place, its reason and what to do, and nothing is written unless --accept-loss is given. A Module that would then deliver something else, or too early, selects no cluster: it says so, and waits for spec.targets. What each field becomes: docs/reference/import-flux.md.',
    'Exit 1 when something is not imported, 2 when something could not be read; the rest is looked at, and nothing is written.',
  ].join('\n'),
  options: [
    {
      flags: '--out <dir>',
      text: 'write one file a Module there; without it they are printed',
      completes: 'file',
    },
    { flags: '--force', text: 'write over files that are there' },
    { flags: '--accept-loss', text: 'go on without what is not imported' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['What would be made, and what would be missing', 'import flux clusters/prod'],
    ['Files, although something is missing', 'import flux clusters/prod --out modules --accept-loss'],
    ['Modules of Fleeet', 'import fleeet upstream --out modules'],
    ['For objects without a namespace', 'import flux - -n flux-system < rendered.yaml'],
  ],
  async run(c, args, flags) {
    const [what = '', ...paths] = args
    if (!IMPORT_TOPICS.includes(what)) {
      const meant = nearest(what, IMPORT_TOPICS)
      return failed('E_USAGE', {
        problem: `nothing is imported from "${what}"`,
        suggestion: meant
          ? `Did you mean lockstep import ${meant}?`
          : `There is: ${IMPORT_TOPICS.join(', ')}.`,
      })
    }
    if (isSet(flags, 'force') && textFlag(flags, 'out') === undefined)
      return failed('E_USAGE', { problem: '--force is for --out', suggestion: 'Give --out DIR, too.' })
    return importFiles(c, what, paths, flags)
  },
}
