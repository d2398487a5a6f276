/**
 * Runs kustomize on files of ours: in a private directory, with no PATH to start anything from, no way out over HTTP and no
 * kubeconfig.
 */

import { type Env, err, ok, type ProcessExit, type ProcessFailure, type Result } from '@lockstep/kube/env'
import type { KustomizeRender } from '../../api/kinds/index.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { BuiltTree } from '../intake/sourcefetcher.ts'
import type { SourceTree } from '../intake/sourcetree.ts'
import { KUSTOMIZATION_FILES } from './kustomizereferences.ts'
import { generatedKustomization, overlayOf } from './overlay.ts'
import { renamedNamespaces } from './renamednamespaces.ts'

const MAX_OUTPUT = 64 * 1024 * 1024
const MEMORY = { bytes: 2 * 1024 ** 3 }
const TIMEOUT_MS = 60_000

/** Output of kustomize for a directory of the tree, '' being its root. */
export async function kustomizeBuild(
  env: Env,
  tree: SourceTree,
  directory: string,
  render: KustomizeRender,
): Promise<Result<BuiltTree, SourceFailure>> {
  const tool = await findTool(env)
  if (!tool) return err(fault('ToolMissing', { tool: 'kustomize', field: 'spec.render.kustomize' }))
  const home = await env.files.tempDir('lockstep-kustomize-')
  if (!home.ok) return err(toolFault(home.error.message, true))
  try {
    const written = await writeAll(env, home.value, tree, directory, render)
    if (!written.ok) return written
    const done = await env.processes.run(tool.path, [...tool.args, `${home.value}/overlay`], {
      env: {
        PATH: `${home.value}/nothing`,
        HOME: `${home.value}/home`,
        KUBECONFIG: '/dev/null',
        HTTP_PROXY: CLOSED,
        HTTPS_PROXY: CLOSED,
      },
      timeoutMs: TIMEOUT_MS,
      maxOutput: MAX_OUTPUT,
      memory: MEMORY,
    })
    const text = outputOf(done, home.value)
    return text.ok ? ok({ text: text.value, warnings: renamedNamespaces(tree, text.value) }) : text
  } finally {
    await env.files.removeTree(home.value)
  }
}

/** The discard port of this machine: nobody listens. */
const CLOSED = 'http://127.0.0.1:9'

interface KustomizeTool {
  readonly path: string
  readonly args: readonly string[]
}

async function findTool(env: Env): Promise<KustomizeTool | undefined> {
  const kustomize = await env.processes.find('kustomize')
  if (kustomize !== undefined) return { path: kustomize, args: ['build'] }
  const kubectl = await env.processes.find('kubectl')
  return kubectl === undefined ? undefined : { path: kubectl, args: ['kustomize'] }
}

async function writeAll(
  env: Env,
  home: string,
  tree: SourceTree,
  directory: string,
  render: KustomizeRender,
): Promise<Result<void, SourceFailure>> {
  const paths = tree.files.map((f) => f.path)
  const files: (readonly [string, string | Uint8Array])[] = tree.files.map((f) => [`tree/${f.path}`, f.bytes])
  const inside = (name: string): string => (directory === '' ? name : `${directory}/${name}`)
  if (!KUSTOMIZATION_FILES.some((name) => paths.includes(inside(name))))
    files.push([`tree/${inside('kustomization.yaml')}`, generatedKustomization(paths, directory)])
  const target = directory === '' ? '../tree' : `../tree/${directory}`
  files.push(['overlay/kustomization.yaml', overlayOf(render, target)])
  for (const [path, content] of files) {
    const done = await env.files.writeAtomic(`${home}/${path}`, content)
    if (!done.ok) return err(toolFault(done.error.message, true))
  }
  return ok(undefined)
}

const toolFault = (error: string, transient: boolean): SourceFailure =>
  fault('RenderFailed', { place: 'kustomize', because: 'Tool', error }, transient)

function outputOf(done: Result<ProcessExit, ProcessFailure>, home: string): Result<string, SourceFailure> {
  if (!done.ok) {
    const { error } = done
    if (error.kind === 'TimedOut')
      return err(fault('RenderFailed', { place: 'kustomize', because: 'Timeout', seconds: error.ms / 1000 }))
    if (error.kind === 'TooMuchMemory')
      return err(
        fault('SourceTooLarge', { place: 'kustomize', limit: `${error.limit / 1048576} MiB of memory` }),
      )
    if (error.kind === 'TooMuchOutput')
      return err(fault('BundleTooLarge', { place: 'kustomize', limit: `${error.limit / 1048576} MiB` }))
    return err(toolFault(error.kind === 'Crashed' ? error.detail : error.kind, true))
  }
  if (done.value.code === 0) return ok(new TextDecoder().decode(done.value.stdout))
  return err(toolFault(complaint(done.value.stderr, home), false))
}

/** Its last complaint, with paths as they are in the repository. */
function complaint(stderr: string, home: string): string {
  const line =
    stderr
      .split('\n')
      .filter((l) => l.trim() !== '' && !l.startsWith('#'))
      .pop() ?? 'failed without output'
  return line
    .replace(/^(Error|error): /, '')
    .replaceAll(`${home}/tree/`, '')
    .replaceAll(`${home}/tree`, '.')
    .replaceAll(home, '')
    .replaceAll('../tree/', '')
    .slice(0, 2000)
}
