// Programs of the image that are built from Go modules.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InputRefused, pinnedFile } from './imagecache.js'

export const GO_PROGRAMS = {
  helm: {
    module: 'helm.sh/helm/v3',
    path: 'cmd/helm',
    flags: (version) => `-X helm.sh/helm/v3/internal/version.version=${version}`,
  },
  kustomize: { module: 'sigs.k8s.io/kustomize/kustomize/v5', path: '', flags: () => '' },
}

const go = (args, env = {}) =>
  execFileSync('go', args, {
    env: { ...process.env, GOTOOLCHAIN: 'local', ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

/** The version of the Go that is on the PATH; undefined: none. */
export function goVersion() {
  try {
    return go(['env', 'GOVERSION'])
  } catch {
    return undefined
  }
}

/** Builds a program for a platform in the folder `work`. The bytes depend on its version and that of Go only. */
export function buildGoProgram(name, version, platform, work) {
  const { module, path, flags } = GO_PROGRAMS[name]
  const [os, arch] = platform.split('/')
  const gopath = join(work, `go-${arch}`)
  mkdirSync(gopath, { recursive: true })
  const ldflags = `-s -w -buildid= ${flags(version)}`.trim()
  const env = { GOPATH: gopath, GOMODCACHE: go(['env', 'GOMODCACHE']), GOBIN: '', GOOS: os, GOARCH: arch }
  const target = `${[module, path].filter(Boolean).join('/')}@${version}`
  go(['install', '-trimpath', '-buildvcs=false', '-ldflags', ldflags, target], {
    ...env,
    CGO_ENABLED: '0',
    GOFLAGS: '-mod=mod',
    GOAMD64: 'v1',
    GOARM64: 'v8.0',
  })
  // Go puts programs for another platform into a folder of it.
  const program = /[^/]+$/.exec(target.replace(/(\/v\d+)?@.*/, ''))[0]
  return [join(gopath, 'bin', program), join(gopath, 'bin', `${os}_${arch}`, program)].find(existsSync)
}

/** Adds a program and its license to the layer. */
export function addGoProgram(tree, name, { version, sha256 }, { wanted, platform, work }) {
  const without = `or build the image --without ${name}`
  const found = goVersion()
  if (found === undefined) throw new InputRefused(`go is not on the PATH: install ${wanted}, ${without}`)
  if (found !== wanted) throw new InputRefused(`${found} is on the PATH: install ${wanted}, ${without}`)
  const what = `${name} for ${platform}`
  const program = pinnedFile(what, sha256[platform], () => buildGoProgram(name, version, platform, work))
  const { module } = GO_PROGRAMS[name]
  const { Dir: folder } = JSON.parse(go(['mod', 'download', '-json', `${module}@${version}`]))
  tree.copy(`/usr/share/doc/${name}/copyright`, licenseOf(folder))
  tree.file(`/usr/bin/${name}`, readFileSync(program), 0o755)
}

/** Go adds the license of the repository to a module without one. */
function licenseOf(folder) {
  const file = join(folder, 'LICENSE')
  if (existsSync(file)) return file
  throw new InputRefused(`${folder} has no LICENSE`)
}
