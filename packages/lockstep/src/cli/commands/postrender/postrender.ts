import { join } from 'node:path'
import type { Result } from '@lockstep/kube/env'
import { encodeYaml } from '@lockstep/kube/object'
import type { PostRenderNote, PostRenderOptions, PostRenderResult } from '../../../tools/postrender/index.ts'
import { pathFrom } from '../../kit/documents/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
  listFlag,
  textFlag,
} from '../../kit/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import { isCurrentOutput } from './currentoutput.ts'
import { pluginArguments, writePostRenderPlugin } from './postrenderplugin.ts'

/** `lockstep post-render`. */
export const postRenderCommand: Command = {
  name: 'post-render',
  summary: 'Add release checks to Flux objects of a chart',
  detail: [
    'Reads the output of Helm on standard input and prints it again, as a post-renderer. Each Kustomization and HelmRelease with dependents gets a digest of its release, and its dependents wait for this digest. Sources that units read get a digest in their names. Other documents stay unchanged, byte for byte. No cluster is read; equal input gives equal output.',
    'Strategy expr keeps the names of units and uses dependsOn[].readyExpr. It requires kustomize-controller 1.7.0 and helm-controller 1.5.0 or newer. Strategy name renames units with the label lockstep.dev/checkpoint: "true" at each release. It requires kustomize-controller 1.3 or newer.',
    'Limits: while a unit waits, Flux does not revert drift. Each dependency may add up to 30 s (--requeue-dependency of the controllers). Digests do not cover ConfigMaps and Secrets that units read by substituteFrom or valuesFrom. Branches and tags can change without a release.',
    'Helm 3: helm upgrade --post-renderer lockstep --post-renderer-args post-render. Helm 4: --write-helm-plugin DIR, helm plugin install DIR, then --post-renderer lockstep. Helm 4 drops the output of plugins on standard error, so errors are also written to the terminal and a file.',
    'Exit 1 when it refuses the input: nothing is printed, and the reasons (PR01 to PR12) are on standard error and in the report.',
  ].join('\n'),
  options: [
    {
      flags: '--strategy <how>',
      text: 'strategy of the release checks',
      choices: ['expr', 'name'],
      default: 'expr',
    },
    { flags: '--release <name>', text: 'text in each digest; a new one makes units check again' },
    {
      flags: '--emit <what>',
      text: 'manifests, or patches for spec.postRenderers of a HelmRelease',
      choices: ['manifests', 'patches'],
      default: 'manifests',
    },
    {
      flags: '--keep-source <name>',
      text: 'source to keep the name of; may be repeated',
      repeats: true,
    },
    {
      flags: '--additive-gate',
      text: 'controllers run with AdditiveCELDependencyCheck, so revisions are compared too',
    },
    { flags: '--strict', text: 'treat warnings as errors' },
    {
      flags: '--report <file>',
      text: 'file for a JSON report; by default a private file after an error',
      completes: 'file',
    },
    {
      flags: '--check <file>',
      text: 'print nothing; exit 1 if the file differs from the output',
      completes: 'file',
    },
    {
      flags: '--write-helm-plugin <dir>',
      text: 'folder for a Helm 4 plugin with these flags; nothing is rendered',
      completes: 'file',
    },
  ],
  formats: ['yaml'],
  examples: [
    ['Run as Helm 3 does', 'post-render --release 2026.11 < rendered.yaml'],
    ['Write a plugin for Helm 4', 'post-render --additive-gate --write-helm-plugin ./lockstep-plugin'],
    ['Print postRenderers of a HelmRelease', 'post-render -n apps --emit patches < rendered.yaml'],
  ],
  async run(c, _args, flags) {
    const dir = textFlag(flags, 'writeHelmPlugin')
    if (dir !== undefined) return writePostRenderPlugin(c, dir, pluginArguments(c, flags))
    // Another command starts without it.
    const core = await import('../../../tools/postrender/index.ts')
    const made = core.postRenderFlux(await c.host.stdin.read(), optionsOf(c, flags))
    return made.text === undefined ? refuse(c, flags, made) : deliver(c, flags, made, made.text)
  },
}

const optionsOf = (c: CommandContext, flags: Flags): PostRenderOptions => {
  const release = textFlag(flags, 'release')
  return {
    strategy: textFlag(flags, 'strategy') === 'name' ? 'name' : 'expr',
    namespace: c.globals.namespace ?? '',
    keepSources: listFlag(flags, 'keepSource'),
    additiveGate: isSet(flags, 'additiveGate'),
    strict: isSet(flags, 'strict'),
    ...(release === undefined ? {} : { release }),
  }
}

async function deliver(
  c: CommandContext,
  flags: Flags,
  made: PostRenderResult,
  text: string,
): Promise<CommandResult> {
  const output = textFlag(flags, 'emit') === 'patches' ? await patchesText(made) : text
  for (const n of made.notes) sayNote(c, n)
  const report = textFlag(flags, 'report')
  if (report !== undefined) {
    const wrote = await writeReport(c, pathFrom(c, report), made)
    if (!wrote.ok) return wrote
  }
  const checked = textFlag(flags, 'check')
  if (checked !== undefined) return compare(c, checked, output)
  c.terminal.data(output)
  return { ok: true, value: 0 }
}

async function patchesText(made: PostRenderResult): Promise<string> {
  const { postRenderersOf } = await import('../../../tools/postrender/index.ts')
  return encodeYaml(postRenderersOf(made.changes))
}

async function compare(c: CommandContext, file: string, output: string): Promise<CommandResult> {
  const read = await c.env.files.read(pathFrom(c, file))
  if (!read.ok) return failed('E_FILE_READ', { path: file, problem: read.error.message })
  if (isCurrentOutput(new TextDecoder().decode(read.value), output)) return { ok: true, value: 0 }
  return failed('E_OUTDATED', { path: file }, { file })
}

/** Nothing on standard output; the reasons where a person finds them, also below a Helm that hides them. */
async function refuse(c: CommandContext, flags: Flags, made: PostRenderResult): Promise<CommandResult> {
  const named = textFlag(flags, 'report')
  const file = named === undefined ? await privateFile(c) : { ok: true as const, value: pathFrom(c, named) }
  const wrote = file.ok ? await writeReport(c, file.value, made) : file
  const where = file.ok && wrote.ok ? `The report is in ${file.value}.` : ''
  const { first, others } = failuresOf(made)
  for (const n of made.notes) if (n.level !== 'error') sayNote(c, n)
  const aftermath = `Nothing was printed. ${where}`.trim()
  if (c.host.variables.HELM_PLUGIN_NAME !== undefined) {
    const lines = [...others, first].flatMap((f) => [`error: ${f.message}`, `hint: ${f.hint}`])
    c.host.tty?.([...lines, aftermath].map((l) => `lockstep: ${l}\n`).join(''))
  }
  return { ok: false, error: { ...first, before: others, aftermath } }
}

function failuresOf(made: PostRenderResult): { first: CliFailure; others: CliFailure[] } {
  const broken = made.broken.map(
    (b) =>
      failed('E_YAML_SYNTAX', { problem: b.problem }, { file: b.file, line: b.line, column: b.column }).error,
  )
  const refused = made.notes.flatMap((n): CliFailure[] =>
    n.level === 'error'
      ? [{ code: n.code, exit: 1, message: `line ${n.line}: ${n.message}`, hint: n.hint, line: n.line }]
      : [],
  )
  const all = [...broken, ...refused]
  return { first: all.at(-1)!, others: all.slice(0, -1) }
}

function sayNote(c: CommandContext, n: PostRenderNote): void {
  const { terminal: t } = c
  const word = n.level === 'warning' ? t.paint('yellow', 'warning:') : t.paint('cyan', 'note:')
  t.talk(fit(t.look, `${word} line ${n.line}: ${n.message}; ${n.hint} ${t.paint('dim', `[${n.code}]`)}`))
}

/** One a process: two that run at once share none, and nobody else reads it. */
async function privateFile(c: CommandContext): Promise<Result<string, CliFailure>> {
  const made = await c.env.files.tempDir('lockstep-post-render-')
  if (!made.ok) return failed('E_FILE_WRITE', { path: made.error.path, problem: made.error.message })
  return { ok: true, value: join(made.value, 'report.json') }
}

async function writeReport(
  c: CommandContext,
  path: string,
  made: PostRenderResult,
): Promise<Result<void, CliFailure>> {
  const { postRenderReportOf } = await import('./postrenderreport.ts')
  const wrote = await c.env.files.writeAtomic(
    path,
    `${JSON.stringify(postRenderReportOf(made), undefined, 2)}\n`,
    0o600,
  )
  return wrote.ok ? wrote : failed('E_FILE_WRITE', { path, problem: wrote.error.message })
}
