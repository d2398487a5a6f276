/** The build loads a command with the files it needs: no command but demos and `up` contains an API server. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { expect, it } from 'vitest'

const { buildOptions } = (await import(pathToFileURL(resolve('packages/lockstep/bin/build.js')).href)) as {
  buildOptions(root: string): BuildOptions
}
const SERVERS = /^packages\/(apiserver|simulators)\//
const WITH_SERVERS = /\/commands\/demo\//

it('commands load no API server, the controller among them', async () => {
  const { metafile } = await build({
    ...buildOptions(process.cwd()),
    outdir: 'dist',
    write: false,
    metafile: true,
  })
  const outputs = metafile!.outputs
  const inputsOf = (chunk: string, seen = new Set<string>()): string[] => {
    if (seen.has(chunk)) return []
    seen.add(chunk)
    const { inputs, imports } = outputs[chunk]!
    const below = imports.filter((i) => i.kind === 'import-statement' && i.path in outputs)
    return [...Object.keys(inputs), ...below.flatMap((i) => inputsOf(i.path, seen))]
  }
  const commands = Object.keys(outputs).filter((c) => outputs[c]!.entryPoint?.includes('/cli/commands/'))
  expect(commands.length).toBeGreaterThan(25)
  const loading = commands.filter((c) => !WITH_SERVERS.test(outputs[c]!.entryPoint!))
  expect(loading.filter((c) => inputsOf(c).some((i) => SERVERS.test(i)))).toEqual([])
})
